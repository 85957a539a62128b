import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady, readySince, timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { podRestarts, sidecarRestarts } from "../pod-restarts.ts";

/** Active pods in the order in which a job deletes them: those that have done the least come first. */
export const activePodOrder = (pods: readonly Pod[]): readonly Pod[] =>
  pods.toSorted(
    (a, b) =>
      Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
      phaseOrder(a) - phaseOrder(b) ||
      Number(isPodReady(a)) - Number(isPodReady(b)) ||
      latestFirst(readySince(a), readySince(b)) ||
      podRestarts(b) - podRestarts(a) ||
      sidecarRestarts(b) - sidecarRestarts(a) ||
      latestFirst(timeOf(a.metadata.creationTimestamp), timeOf(b.metadata.creationTimestamp)),
  );

const phases = ["Pending", "Unknown", "Running"];
const phaseOrder = ({ status }: Pod): number => Math.max(0, phases.indexOf(status.phase ?? ""));

/** An unknown time counts as the latest. */
function latestFirst(a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY): number {
  return a === b ? 0 : b > a ? 1 : -1;
}
