import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { deletionCostAnnotation } from "../../api/core/v1/pod/pod-annotations.ts";
import { isPodActive, isPodReady, readySince, timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { hasValidDeletionCost } from "../../api/core/v1/pod/validation/pod-annotation-validation.ts";
import { podRestarts, sidecarRestarts } from "../pod-restarts.ts";

/**
 * Pods in the order in which they are deleted when there are too many: the least useful first. `related`
 * are all pods of the same purpose, including those of other replica sets.
 */
export function deletionOrder(
  pods: readonly Pod[],
  related: readonly Pod[],
  now: number,
): readonly Pod[] {
  const onNode = new Map<string, number>();
  for (const pod of related)
    if (isPodActive(pod)) onNode.set(nodeOf(pod), (onNode.get(nodeOf(pod)) ?? 0) + 1);
  const neighbours = (pod: Pod): number => onNode.get(nodeOf(pod)) ?? 0;
  return pods.toSorted(
    (a, b) =>
      first(nodeOf(a) === "", nodeOf(b) === "") ||
      phaseOrder(a) - phaseOrder(b) ||
      first(!isPodReady(a), !isPodReady(b)) ||
      deletionCost(a) - deletionCost(b) ||
      neighbours(b) - neighbours(a) ||
      youngerFirst(a, b, {
        at: (pod) => readySince(pod),
        now,
        if: isPodReady(a) && isPodReady(b),
      }) ||
      podRestarts(b) - podRestarts(a) ||
      sidecarRestarts(b) - sidecarRestarts(a) ||
      youngerFirst(a, b, {
        at: ({ metadata }) => timeOf(metadata.creationTimestamp),
        now,
        if: true,
      }),
  );
}

const nodeOf = ({ spec }: Pod): string => spec.nodeName ?? "";

/** Objects for which the condition is true come first. */
const first = (a: boolean, b: boolean): number => Number(b) - Number(a);

const phases = ["Pending", "Unknown", "Running"];
const phaseOrder = ({ status }: Pod): number => Math.max(0, phases.indexOf(status.phase ?? ""));

/** The deletion cost in the annotation of a pod; 0 if it is not a number. */
const deletionCost = ({ metadata: { annotations } }: Pod): number =>
  hasValidDeletionCost(annotations) ? Number(annotations?.[deletionCostAnnotation] ?? 0) : 0;

interface Ages {
  readonly at: (pod: Pod) => number | undefined;
  readonly now: number;
  readonly if: boolean;
}

/** The younger first; ages of the same order of magnitude are equal, so that the choice among them is random. */
function youngerFirst(a: Pod, b: Pod, { at, now, if: applies }: Ages): number {
  const [timeA, timeB] = [at(a), at(b)];
  if (!applies || timeA === timeB) return 0;
  if (timeA === undefined) return -1;
  if (timeB === undefined) return 1;
  const byRank = magnitude(now - timeA) - magnitude(now - timeB);
  if (byRank !== 0) return byRank;
  return (a.metadata.uid ?? "") < (b.metadata.uid ?? "") ? -1 : 1;
}

/** The logarithm of an age in nanoseconds, as upstream computes it; none for a time in the future. */
const magnitude = (ms: number): number => (ms <= 0 ? -1 : Math.floor(Math.log2(ms * 1e6)));
