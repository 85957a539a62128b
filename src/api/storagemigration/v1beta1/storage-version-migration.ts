import { list, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import {
  isDns1035Label,
  isDns1123Subdomain,
  nameIsDnsSubdomain,
} from "../../../schema/values/names.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { Condition, validateConditions } from "../../meta/v1/condition.ts";
import { GroupResource } from "../../meta/v1/group-resource.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";

export const StorageVersionMigrationSpec = struct(
  "io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationSpec",
  {
    resource: value(1, GroupResource)
      .expected()
      .doc("The resource whose objects are written anew. Never changes."),
  },
).doc("What is to be migrated.");
export interface StorageVersionMigrationSpec extends Infer<typeof StorageVersionMigrationSpec> {}

export const StorageVersionMigrationStatus = struct(
  "io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationStatus",
  {
    conditions: list(1, Condition).keyedBy("type").doc("How the migration is going."),
    resourceVersion: string(2).doc("Objects older than this are written anew."),
  },
).doc("How a migration is going.");
export interface StorageVersionMigrationStatus
  extends Infer<typeof StorageVersionMigrationStatus> {}

const { format: _, ...plainNameColumn } = nameColumn;

export const StorageVersionMigration = kind({
  group: "storagemigration.k8s.io",
  version: "v1beta1",
  kind: "StorageVersionMigration",
  plural: "storageversionmigrations",
  stability: "beta",
  scope: "Cluster",
  doc: "Asks for the objects of a resource to be stored in its current version.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, StorageVersionMigrationSpec).doc("What is to be migrated."),
    status: value(3, StorageVersionMigrationStatus).doc("How that is going."),
  },
  subresources: ["status"],
  rules: [({ spec }, at) => validateResource(spec.resource, at.child("spec").child("resource"))],
  firstUpdateRules: (_migration, _old, { create }) => create(),
  updateRules({ spec }, old, { at }) {
    if (!sameValue(spec, old.spec))
      at.invalid("spec", internalForm(StorageVersionMigrationSpec, spec), "field is immutable");
  },
  statusRules({ status }, old, { at }) {
    validateStatus(status, old.status, at.child("status"));
  },
  strategy: {
    initialStatus: {},
    statusKeeps: ["metadata"],
    conditionalUpdateOnly: true,
  },
  columns: [
    plainNameColumn,
    {
      name: "Resource",
      type: "string",
      description: "GroupResource to migrate",
      cell: ({ spec: { resource } }) =>
        resource.group ? `${resource.resource}.${resource.group}` : resource.resource,
    },
    {
      name: "Status",
      type: "string",
      description: "Status of the migration",
      cell: ({ status }) => statusOf(status),
    },
  ],
});
export interface StorageVersionMigration extends ObjectOf<typeof StorageVersionMigration> {}

function validateResource({ group, resource }: GroupResource, at: At): void {
  if (!resource) at.required("resource", "resource is required to be set");
  else joined(resource, isDns1035Label(resource), at.child("resource"));
  if (group) joined(group, isDns1123Subdomain(group), at.child("group"));
}

/** All that is wrong in one error. */
function joined(text: string, faults: readonly string[], at: At): void {
  if (faults.length > 0) at.invalid("", text, faults.join(","));
}

function validateStatus(
  status: StorageVersionMigrationStatus,
  old: StorageVersionMigrationStatus,
  at: At,
): void {
  const { resourceVersion = "", conditions } = status;
  if (resourceVersion && !/^[1-9][0-9]*$/.test(resourceVersion))
    at.invalid(
      "resourceVersion",
      resourceVersion,
      `resource version is not well formed: ${resourceVersion}`,
    );
  validateConditions(conditions, at.child("conditions"));
  if (old.resourceVersion && old.resourceVersion !== resourceVersion)
    at.invalid("resourceVersion", resourceVersion, "field is immutable");
  const shown = conditions ?? null;
  const [succeeded, failed] = ["Succeeded", "Failed"].map((type) => holds(status, type));
  if (succeeded && failed)
    at.invalid(
      "conditions",
      shown,
      "Both success and failed conditions cannot be true at the same time",
    );
  if (holds(old, "Succeeded") && !succeeded)
    at.invalid("conditions", shown, "Success condition cannot be set to false once it is true");
  if (holds(old, "Failed") && !failed)
    at.invalid("conditions", shown, "Failed condition cannot be set to false once it is true");
}

/** Of conditions of one type, the first counts. */
const holds = ({ conditions = [] }: StorageVersionMigrationStatus, type: string): boolean =>
  conditions.find((condition) => condition.type === type)?.status === "True";

const shownTypes = new Set(["Running", "Failed", "Succeeded"]);

function statusOf({ conditions = [] }: StorageVersionMigrationStatus): string {
  const held = conditions.filter(({ type, status }) => status === "True" && shownTypes.has(type));
  return held.at(-1)?.type ?? "Unknown";
}
