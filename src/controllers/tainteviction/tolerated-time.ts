import type { Taint } from "../../api/core/v1/taint.ts";
import type { Toleration } from "../../api/core/v1/toleration.ts";
import { usedTolerations } from "../../api/core/v1/toleration-match.ts";

/** For how long a pod may stay on a node: not at all, for ever, or for so many milliseconds. */
export type ToleratedTime = "not" | "forever" | number;

/** The taints because of which pods leave a node. */
export const evictingTaints = (taints: readonly Taint[] | undefined): readonly Taint[] =>
  taints?.filter(({ effect }) => effect === "NoExecute") ?? none;

/** For how long a pod tolerates all of the taints: until the first toleration that it needs runs out. */
export function toleratedTime(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
): ToleratedTime {
  const used = usedTolerations(taints, tolerations);
  if (!used) return "not";
  const seconds = used.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [Number(tolerationSeconds)],
  );
  return seconds.length === 0 ? "forever" : Math.max(0, Math.min(...seconds) * 1000);
}

const none: readonly Taint[] = [];
