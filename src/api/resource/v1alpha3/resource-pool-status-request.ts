import { message, value } from "../../../schema/language/field.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { poolColumns } from "./resource-pool-status-request-columns.ts";
import {
  ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from "./resource-pool-status-request-spec.ts";
import {
  validateRequestSpec,
  validateRequestStatus,
} from "./resource-pool-status-request-validation.ts";

export const ResourcePoolStatusRequest = kind({
  group: "resource.k8s.io",
  version: "v1alpha3",
  stability: "alpha",
  kind: "ResourcePoolStatusRequest",
  plural: "resourcepoolstatusrequests",
  scope: "Cluster",
  doc: "Asks once how many devices the pools of a driver have left.",
  name: nameIsDnsSubdomain,
  metadataExpected: true,
  fields: {
    spec: value(2, ResourcePoolStatusRequestSpec).expected().doc("Which pools are asked about."),
    status: message(3, ResourcePoolStatusRequestStatus).doc("The answer."),
  },
  subresources: ["status"],
  rules: [({ spec }, at) => validateRequestSpec(spec, at.child("spec"))],
  updateRules({ spec }, old, { at }) {
    if (!sameValue(spec, old.spec)) at.invalid("spec", null, "field is immutable");
  },
  statusRules: ({ status }, old, { at }) =>
    validateRequestStatus(status, at.child("status"), old.status),
  strategy: {
    initialStatus: () => undefined,
    statusKeeps: ["metadata"],
    conditionalUpdateOnly: true,
    deleteReturnsObject: true,
  },
  columns: [nameColumn, ...poolColumns],
});
export interface ResourcePoolStatusRequest extends ObjectOf<typeof ResourcePoolStatusRequest> {}
