import { list, named, string, strings } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";

export const NodeSelectorRequirement = struct("io.k8s.api.core.v1.NodeSelectorRequirement", {
  key: string(1).always().expected().doc("The label, or field, that is looked at."),
  operator: named(2, "v1.NodeSelectorOperator")
    .always()
    .expected()
    .known("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
    .doc("How it relates to the values."),
  values: strings(3)
    .atomic()
    .doc(
      "At least one for In and NotIn, none for Exists and DoesNotExist, an integer for Gt and Lt.",
    ),
}).doc("One condition on the labels or fields of a node.");
export interface NodeSelectorRequirement extends Infer<typeof NodeSelectorRequirement> {}

export const NodeSelectorTerm = struct("io.k8s.api.core.v1.NodeSelectorTerm", {
  matchExpressions: list(1, NodeSelectorRequirement)
    .atomic()
    .doc("Conditions on the node's labels."),
  matchFields: list(2, NodeSelectorRequirement).atomic().doc("Conditions on the node's fields."),
})
  .atomic()
  .doc("Conditions that a node must meet, all of them; an empty term selects no node.");
export interface NodeSelectorTerm extends Infer<typeof NodeSelectorTerm> {}

export const NodeSelector = struct("io.k8s.api.core.v1.NodeSelector", {
  nodeSelectorTerms: list(1, NodeSelectorTerm)
    .always()
    .expected()
    .atomic()
    .doc("Terms of which a node must meet one."),
})
  .atomic()
  .doc("Selects nodes by their labels and fields.");
export interface NodeSelector extends Infer<typeof NodeSelector> {}
