import { value } from "../../../schema/language/field.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { validateConditionTypes } from "./conditions.ts";
import { FlowSchemaSpec, FlowSchemaStatus, validateFlowSchemaSpec } from "./flow-schema-spec.ts";
import { mandatoryFlowSchemas } from "./mandatory.ts";
import { keepMetadata, validateMetadata } from "./metadata.ts";

export const FlowSchema = kind({
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "FlowSchema",
  plural: "flowschemas",
  scope: "Cluster",
  doc: "Says how important requests of a kind are, and which of them share fairly.",
  name: nameIsDnsSubdomain,
  metadataRules: false,
  fields: {
    spec: value(2, FlowSchemaSpec).doc("Which requests are meant, and their priority level."),
    status: value(3, FlowSchemaStatus).doc("What is known of it."),
  },
  subresources: ["status"],
  rules: [
    ({ metadata, spec, status }, at) => {
      const { name = "" } = metadata;
      validateMetadata(metadata, at.child("metadata"));
      validateFlowSchemaSpec(spec, at.child("spec"), name);
      const fixed = mandatoryFlowSchemas[name];
      if (fixed && !sameValue(spec, fixed))
        at.invalid(
          "spec",
          internalForm(FlowSchemaSpec, spec),
          `spec of '${name}' must equal the fixed value`,
        );
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
      name: "PriorityLevel",
      type: "string",
      description:
        "`name` is the name of the priority level configuration being referenced Required.",
      cell: ({ spec }) => spec.priorityLevelConfiguration.name,
    },
    {
      name: "MatchingPrecedence",
      type: "string",
      description:
        "`matchingPrecedence` is used to choose among the FlowSchemas that match a given request. The chosen FlowSchema is among those with the numerically lowest (which we take to be logically highest) MatchingPrecedence.  Each MatchingPrecedence value must be ranged in [1,10000]. Note that if the precedence is not specified, it will be set to 1000 as default.",
      cell: ({ spec }) => spec.matchingPrecedence,
    },
    {
      name: "DistinguisherMethod",
      type: "string",
      description:
        "`distinguisherMethod` defines how to compute the flow distinguisher for requests that match this schema. `nil` specifies that the distinguisher is disabled and thus will always be the empty string.",
      cell: ({ spec }) => spec.distinguisherMethod?.type ?? "<none>",
    },
    ageColumn,
    {
      name: "MissingPL",
      type: "string",
      description: "references a broken or non-existent PriorityLevelConfiguration",
      cell: ({ status }) => {
        const dangling = status.conditions?.find(({ type }) => type === "Dangling");
        return dangling ? (dangling.status ?? "") : "?";
      },
    },
  ],
});
export interface FlowSchema extends ObjectOf<typeof FlowSchema> {}
