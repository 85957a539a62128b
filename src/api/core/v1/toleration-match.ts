import type { Taint } from "./taint.ts";
import type { Toleration } from "./toleration.ts";

/**
 * Whether a toleration puts up with a taint. Without an effect or a key it is good for all of them. The
 * operators `Lt` and `Gt` belong to a feature that is off, and match nothing.
 */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  const { effect = "", key = "", operator = "", value = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && value === (taint.value ?? "");
}

/** The first of the taints that nothing puts up with. */
export const untoleratedTaint = (
  taints: readonly Taint[],
  tolerations: readonly Toleration[] = [],
): Taint | undefined =>
  taints.find((taint) => !tolerations.some((toleration) => toleratesTaint(toleration, taint)));

/** The toleration that puts up with each of the taints, the first of those that do; undefined if one has none. */
export function usedTolerations(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] = [],
): readonly Toleration[] | undefined {
  const used: Toleration[] = [];
  for (const taint of taints) {
    const toleration = tolerations.find((one) => toleratesTaint(one, taint));
    if (!toleration) return undefined;
    used.push(toleration);
  }
  return used;
}
