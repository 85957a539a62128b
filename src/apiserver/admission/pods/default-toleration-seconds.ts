import type { AdmissionPlugin } from "../admission.ts";
import { podOf } from "./pod.ts";

const standard = 300;

/** Pods without own tolerations stay on a lost node for five minutes, or for the configured time. */
export const defaultTolerationSeconds = ({
  notReady = standard,
  unreachable = standard,
}: {
  readonly notReady?: number;
  readonly unreachable?: number;
} = {}): AdmissionPlugin => ({
  name: "DefaultTolerationSeconds",
  operations: ["CREATE", "UPDATE"],
  resources: ["/pods"],

  admit(attributes) {
    const pod = podOf(attributes);
    if (!pod) return;
    const { spec } = pod;
    const tolerations = spec.tolerations ?? [];
    const seconds = [
      ["node.kubernetes.io/not-ready", notReady],
      ["node.kubernetes.io/unreachable", unreachable],
    ] as const;
    const missing = seconds.filter(
      ([key]) =>
        !tolerations.some(
          ({ key: tolerated, effect }) =>
            (tolerated === key || !tolerated) && (effect === "NoExecute" || !effect),
        ),
    );
    if (missing.length === 0) return;
    spec.tolerations = [
      ...tolerations,
      ...missing.map(([key, tolerationSeconds]) => ({
        key,
        operator: "Exists" as const,
        effect: "NoExecute" as const,
        tolerationSeconds,
      })),
    ];
  },
});
