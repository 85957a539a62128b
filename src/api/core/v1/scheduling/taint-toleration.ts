import type { Taint } from "./taint.ts";
import type { Toleration } from "./toleration.ts";

/** Whether a toleration means a taint: its key, effect and value, where it names them. */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator) {
    case "":
    case "Equal":
      return value === (taint.value ?? "");
    case "Exists":
      return true;
    default:
      return false;
  }
}

/** Whether one of the tolerations means a taint. */
export const isTolerated = (taint: Taint, tolerations: readonly Toleration[] = []): boolean =>
  tolerations.some((toleration) => toleratesTaint(toleration, taint));

/** The first taint that keeps a pod from being scheduled: PreferNoSchedule does not. */
export function untoleratedTaint(
  taints: readonly Taint[] = [],
  tolerations: readonly Toleration[] = [],
): Taint | undefined {
  for (const taint of taints)
    if (taint.effect !== "PreferNoSchedule" && !isTolerated(taint, tolerations)) return taint;
  return undefined;
}
