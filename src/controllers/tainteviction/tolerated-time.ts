import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { toleratesTaint } from "../../api/core/v1/scheduling/taint-toleration.ts";
import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";

/** For how long a pod may stay on a node: not at all, forever, or for a number of milliseconds. */
export type ToleratedTime = "not" | "forever" | number;

/** The taints that evict pods. */
export const evictingTaints = (taints: readonly Taint[] | undefined): readonly Taint[] =>
  taints?.filter(({ effect }) => effect === "NoExecute") ?? none;

/**
 * For how long a pod tolerates all taints: until the first toleration that it needs expires. If several
 * tolerations match a taint, the first one counts.
 */
export function toleratedTime(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] = [],
): ToleratedTime {
  let least: ToleratedTime = "forever";
  for (const taint of taints) {
    const used = tolerations.find((one) => toleratesTaint(one, taint));
    if (!used) return "not";
    if (used.tolerationSeconds === undefined) continue;
    const ms = Math.max(0, Number(used.tolerationSeconds) * 1000);
    if (least === "forever" || ms < least) least = ms;
  }
  return least;
}

const none: readonly Taint[] = [];
