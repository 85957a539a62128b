import { Node } from "../../api/core/v1/node/node.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { draftOf } from "./typed-attributes.ts";

const key = "node.kubernetes.io/not-ready";

/** A new node takes no pods before it has been seen to be ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  operations: ["CREATE"],
  resources: ["/nodes"],

  admit(attributes) {
    const { spec } = draftOf(Node, attributes);
    const taints = spec.taints ?? [];
    if (taints.some((taint) => taint.key === key && taint.effect === "NoSchedule")) return;
    spec.taints = [...taints, { key, effect: "NoSchedule" }];
  },
};
