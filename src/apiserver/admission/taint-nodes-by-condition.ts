import type { Node } from "../../api/core/v1/node/node.ts";
import type { Draft } from "../../schema/language/struct.ts";
import type { AdmissionPlugin } from "./admission.ts";

const key = "node.kubernetes.io/not-ready";

/** A new node takes no pods before it has been seen to be ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  operations: ["CREATE"],
  resources: ["/nodes"],

  admit({ object }) {
    const { spec } = object as unknown as Draft<Node>;
    const taints = spec.taints ?? [];
    if (taints.some((taint) => taint.key === key && taint.effect === "NoSchedule")) return;
    spec.taints = [...taints, { key, effect: "NoSchedule" }];
  },
};
