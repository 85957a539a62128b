import type { Pod } from "../../../../api/core/v1/pod/pod.ts";

/** Orders pods by how much their logs tell: running and ready ones first, then those that restarted, the oldest first. */
export function compareForLogs(a: Pod, b: Pod): number {
  return (
    compareNodes(a, b) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(b)) - Number(isReady(a)) ||
    -compareReadySince(a, b) ||
    compareRestarts(a, b) ||
    -compareTimes(a.metadata.creationTimestamp, b.metadata.creationTimestamp)
  );
}

/** Orders pods by how active they are, the most active first. */
export function compareByActivity(a: Pod, b: Pod): number {
  return (
    compareNodes(a, b) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(b)) - Number(isReady(a)) ||
    compareDeletions(a, b) ||
    -compareReadySince(a, b) ||
    // The original reverses an order in which pods that restarted more come first.
    -compareRestarts(a, b) ||
    -compareTimes(a.metadata.creationTimestamp, b.metadata.creationTimestamp)
  );
}

/** Pods that are on a node come first. */
const compareNodes = (a: Pod, b: Pod): number =>
  Number(!a.spec?.nodeName) - Number(!b.spec?.nodeName);

/** Phases that have ended rank like running, as upstream's table has no entries for them. */
const phaseRank = ({ status }: Pod): number =>
  status?.phase === "Pending" ? 2 : status?.phase === "Unknown" ? 1 : 0;

const readyCondition = ({ status }: Pod) =>
  status?.conditions?.find(({ type, status }) => type === "Ready" && status === "True");

const isReady = (pod: Pod): boolean => readyCondition(pod) !== undefined;

function compareReadySince(a: Pod, b: Pod): number {
  const [first, second] = [readyCondition(a), readyCondition(b)];
  return first && second ? compareTimes(first.lastTransitionTime, second.lastTransitionTime) : 0;
}

/** Later times first; no time comes before all others. */
function compareTimes(a: unknown, b: unknown): number {
  const [first, second] = [String(a ?? ""), String(b ?? "")];
  if (first === second) return 0;
  if (first === "") return -1;
  if (second === "") return 1;
  return first > second ? -1 : 1;
}

/** Pods that are not being deleted come first, then those that were deleted last. */
function compareDeletions(a: Pod, b: Pod): number {
  const [first, second] = [a.metadata.deletionTimestamp, b.metadata.deletionTimestamp];
  if (!first || !second) return Number(Boolean(first)) - Number(Boolean(second));
  return compareTimes(first, second);
}

function compareRestarts(a: Pod, b: Pod): number {
  const [first, second] = [restarts(a), restarts(b)];
  return second.regular - first.regular || second.sidecar - first.sidecar;
}

function restarts({ spec, status }: Pod): { readonly regular: number; readonly sidecar: number } {
  const sidecars = new Set(
    (spec?.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const counts = (list: readonly { readonly restartCount?: number | undefined }[]): number =>
    Math.max(0, ...list.map(({ restartCount = 0 }) => restartCount));
  const initial = status?.initContainerStatuses ?? [];
  return {
    regular: counts(status?.containerStatuses ?? []),
    sidecar: counts(initial.filter(({ name }) => sidecars.has(name))),
  };
}
