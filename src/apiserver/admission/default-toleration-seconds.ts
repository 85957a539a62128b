import type { AdmissionPlugin } from "./admission.ts";
import { podOf } from "./pod.ts";

const seconds = 300;
const keys = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Pods stay for five minutes on a node that is lost, unless they say otherwise. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  operations: ["CREATE", "UPDATE"],

  admit(attributes) {
    const pod = podOf(attributes);
    if (!pod) return;
    const { spec } = pod;
    const tolerations = spec.tolerations ?? [];
    const missing = keys.filter(
      (key) =>
        !tolerations.some(
          ({ key: tolerated, effect }) =>
            (tolerated === key || !tolerated) && (effect === "NoExecute" || !effect),
        ),
    );
    if (missing.length === 0) return;
    spec.tolerations = [
      ...tolerations,
      ...missing.map((key) => ({
        key,
        operator: "Exists" as const,
        effect: "NoExecute" as const,
        tolerationSeconds: seconds,
      })),
    ];
  },
};
