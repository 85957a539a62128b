import { value } from "../../../schema/language/field.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { validateConditionTypes } from "./conditions.ts";
import { keepMetadata, validateMetadata } from "./metadata.ts";
import {
  PriorityLevelConfigurationSpec,
  PriorityLevelConfigurationStatus,
  type QueuingConfiguration,
} from "./priority-level-configuration-spec.ts";
import { validatePriorityLevelSpec } from "./priority-level-configuration-validation.ts";

/** What an older version keeps a share of zero in; it may not be written by clients. */
const preserveZeroKey = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

export const PriorityLevelConfiguration = kind({
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  scope: "Cluster",
  doc: "How many requests of a priority level are executed at a time.",
  name: nameIsDnsSubdomain,
  metadataRules: false,
  fields: {
    spec: value(2, PriorityLevelConfigurationSpec).doc("How its requests are treated."),
    status: value(3, PriorityLevelConfigurationStatus).doc("What is known of it."),
  },
  subresources: ["status"],
  rules: [
    ({ metadata, spec, status }, at) => {
      validateMetadata(metadata, at.child("metadata"));
      if (metadata.annotations && Object.hasOwn(metadata.annotations, preserveZeroKey))
        at.forbidden("metadata.annotations", `annotation '${preserveZeroKey}' is forbidden`);
      validatePriorityLevelSpec(spec, at.child("spec"), metadata.name ?? "");
      validateConditionTypes(status.conditions, at.child("status").child("conditions"));
    },
  ],
  statusRules({ status }, _old, { at }) {
    validateConditionTypes(status.conditions, at.child("status").child("conditions"));
  },
  strategy: {
    initialStatus: {},
    statusKeeps: ["metadata"],
    generation: { spec: sameValue },
    prepareStatus: keepMetadata,
  },
  columns: [
    nameColumn,
    {
      name: "Type",
      type: "string",
      description:
        '`type` indicates whether this priority level is subject to limitation on request execution.  A value of `"Exempt"` means that requests of this priority level are not subject to a limit (and thus are never queued) and do not detract from the capacity made available to other priority levels.  A value of `"Limited"` means that (a) requests of this priority level _are_ subject to limits and (b) some of the server\'s limited capacity is made available exclusively to this priority level. Required.',
      cell: ({ spec }) => spec.type,
    },
    {
      name: "NominalConcurrencyShares",
      type: "string",
      description:
        '`nominalConcurrencyShares` (NCS) contributes to the computation of the NominalConcurrencyLimit (NominalCL) of this level. This is the number of execution seats available at this priority level. This is used both for requests dispatched from this priority level as well as requests dispatched from other priority levels borrowing seats from this level. The server\'s concurrency limit (ServerCL) is divided among the Limited priority levels in proportion to their NCS values:\n\nNominalCL(i)  = ceil( ServerCL * NCS(i) / sum_ncs ) sum_ncs = sum[priority level k] NCS(k)\n\nBigger numbers mean a larger nominal concurrency limit, at the expense of every other priority level.\n\nIf not specified, this field defaults to a value of 30.\n\nSetting this field to zero supports the construction of a "jail" for this priority level that is used to hold some request(s)',
      cell: ({ spec }) => spec.limited?.nominalConcurrencyShares ?? "<none>",
    },
    {
      name: "Queues",
      type: "string",
      description:
        "`queues` is the number of queues for this priority level. The queues exist independently at each apiserver. The value must be positive.  Setting it to 1 effectively precludes shufflesharding and thus makes the distinguisher method of associated flow schemas irrelevant.  This field has a default value of 64.",
      cell: ({ spec }) => queuingCell(spec, "queues"),
    },
    {
      name: "HandSize",
      type: "string",
      description:
        "`handSize` is a small positive number that configures the shuffle sharding of requests into queues.  When enqueuing a request at this priority level the request's flow identifier (a string pair) is hashed and the hash value is used to shuffle the list of queues and deal a hand of the size specified here.  The request is put into one of the shortest queues in that hand. `handSize` must be no larger than `queues`, and should be significantly smaller (so that a few heavy flows do not saturate most of the queues).  See the user-facing documentation for more extensive guidance on setting this field.  This field has a default value of 8.",
      cell: ({ spec }) => queuingCell(spec, "handSize"),
    },
    {
      name: "QueueLengthLimit",
      type: "string",
      description:
        "`queueLengthLimit` is the maximum number of requests allowed to be waiting in a given queue of this priority level at a time; excess requests are rejected.  This value must be positive.  If not specified, it will be defaulted to 50.",
      cell: ({ spec }) => queuingCell(spec, "queueLengthLimit"),
    },
    ageColumn,
  ],
});
export interface PriorityLevelConfiguration extends ObjectOf<typeof PriorityLevelConfiguration> {}

const queuingCell = (
  { limited }: PriorityLevelConfigurationSpec,
  field: keyof QueuingConfiguration,
): number | string => limited?.limitResponse.queuing?.[field] ?? "<none>";
