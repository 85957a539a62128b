import { list, named, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { conditionStatus } from "../../meta/v1/condition.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";

export const ComponentCondition = struct("io.k8s.api.core.v1.ComponentCondition", {
  type: named(1, "v1.ComponentConditionType")
    .always()
    .expected()
    .known("Healthy")
    .doc("What the condition is about."),
  status: conditionStatus(2),
  message: string(3).doc("What the component says of itself."),
  error: string(4).doc("Why the component could not be asked."),
}).doc("One aspect of the state of a component.");
export interface ComponentCondition extends Infer<typeof ComponentCondition> {}

export const ComponentStatus = kind({
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  plural: "componentstatuses",
  shortNames: ["cs"],
  scope: "Cluster",
  verbs: ["get", "list"],
  isStored: false,
  deprecated: "v1 ComponentStatus is deprecated in v1.19+",
  doc: "How a component of the control plane is.",
  name: pathSegmentName,
  fields: {
    conditions: list(2, ComponentCondition).keyedBy("type").doc("The component's state."),
  },
  columns: [
    nameColumn,
    {
      name: "Status",
      type: "string",
      description: "Status of the component conditions",
      cell: ({ conditions }) => {
        const healthy = health(conditions);
        if (!healthy) return "Unknown";
        return healthy.status === "True" ? "Healthy" : "Unhealthy";
      },
    },
    {
      name: "Message",
      type: "string",
      description: "Message of the component conditions",
      cell: ({ conditions }) => health(conditions)?.message ?? "",
    },
    {
      name: "Error",
      type: "string",
      description: "Error of the component conditions",
      cell: ({ conditions }) => health(conditions)?.error ?? "",
    },
  ],
});
export interface ComponentStatus extends ObjectOf<typeof ComponentStatus> {}

const health = (
  conditions: readonly ComponentCondition[] | undefined,
): ComponentCondition | undefined => conditions?.find(({ type }) => type === "Healthy");
