import { value } from "../../../../schema/language/field.ts";
import { pathSegmentName } from "../../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { ObjectReference } from "../object-reference.ts";

export const Binding = kind({
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  scope: "Namespaced",
  verbs: ["create"],
  isStored: false,
  doc: "Puts a pod on a node.",
  name: pathSegmentName,
  metadataRules: false,
  fields: {
    target: value(2, ObjectReference).expected().doc("The node."),
  },
  rules: [
    ({ target }, at) => {
      if (target.kind && target.kind !== "Node")
        at.notSupported("target.kind", target.kind, ["Node", "<empty>"]);
      if (!target.name) at.required("target.name");
    },
  ],
});
export interface Binding extends ObjectOf<typeof Binding> {}
