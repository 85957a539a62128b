import { value } from "../../../../schema/language/field.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { compareQuantities, parseQuantity } from "../../../../schema/values/quantity.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import { ageColumn, nameColumn } from "../../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import type { ResourceList } from "../resource-list.ts";
import { ResourceQuotaSpec, ResourceQuotaStatus } from "./resource-quota-spec.ts";
import {
  sameScopes,
  validateResourceQuotaSpec,
  validateResourceQuotaStatus,
} from "./resource-quota-validation.ts";

export const ResourceQuota = kind({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  shortNames: ["quota"],
  scope: "Namespaced",
  doc: "The most that a namespace as a whole may use.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, ResourceQuotaSpec).doc("What is allowed."),
    status: value(3, ResourceQuotaStatus).doc("What is used."),
  },
  subresources: ["status"],
  rules: [({ spec }, at) => validateResourceQuotaSpec(spec, at.child("spec"))],
  updateRules({ spec }, old, { at, rules }) {
    rules();
    if (!sameScopes(spec.scopes, old.spec.scopes))
      at.invalid("spec.scopes", spec.scopes ?? null, "field is immutable");
  },
  statusRules({ metadata, status }, _old, { at }) {
    if (!metadata.resourceVersion) at.required("resourceVersion");
    validateResourceQuotaStatus(status, at.child("status"));
  },
  strategy: {
    initialStatus: {},
    deleteReturnsObject: true,
    warnings: ({ spec }, old) => (old ? [] : requestsOverLimits(spec.hard ?? {})),
  },
  columns: [
    nameColumn,
    {
      name: "Request",
      type: "string",
      description:
        "Request represents a minimum amount of cpu/memory that a container may consume.",
      cell: ({ status }) => formatUse(status, (name) => !name.startsWith("limits.")),
    },
    {
      name: "Limit",
      type: "string",
      description:
        "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
      cell: ({ status }) => formatUse(status, (name) => name.startsWith("limits.")),
    },
    ageColumn,
  ],
});
export interface ResourceQuota extends ObjectOf<typeof ResourceQuota> {}

const formatUse = (
  { hard = {}, used = {} }: ResourceQuotaStatus,
  include: (name: string) => boolean,
): string =>
  sortedKeys(hard)
    .filter(include)
    .map((name) => `${name}: ${Object.hasOwn(used, name) ? used[name] : "0"}/${hard[name]}`)
    .join(", ");

function requestsOverLimits(hard: ResourceList): readonly string[] {
  const amount = (name: string) => (Object.hasOwn(hard, name) ? hard[name] : undefined);
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((resource) => {
    const names = [`requests.${resource}`];
    if (resource === "cpu" || resource === "memory") names.push(resource);
    const requested = names.find((name) => amount(name) !== undefined) ?? "";
    const request = amount(requested);
    const limited = `limits.${resource}`;
    const limit = amount(limited);
    if (request === undefined || limit === undefined) return [];
    if (compareQuantities(parseQuantity(request), parseQuantity(limit)) <= 0) return [];
    return [`ResourceQuota ${requested} (${request}) should be less than ${limited} (${limit})`];
  });
}
