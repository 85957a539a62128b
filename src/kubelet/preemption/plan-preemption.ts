import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Rejection } from "../pod/admit-pod.ts";
import { isCritical } from "../pod/linux/critical-pod.ts";
import { qosClassOf } from "../pod/linux/pod-cgroup.ts";
import { useOf } from "../pod/node-use.ts";

/** The pods that end so that a critical one can start. */
export interface Preemption {
  readonly victims: readonly Pod[];
  /** The resource for which they end. */
  readonly resource: string;
}

/** A resource of which a pod needs so much more than is free. */
export interface Shortage {
  readonly name: string;
  readonly amount: number;
}

/**
 * Chooses the pods that make room for a critical one: as few as possible, and as little of the better classes as
 * possible. A rejection if even all of them would not be enough.
 */
export function planPreemption(
  critical: Pod,
  pods: readonly Pod[],
  shortages: readonly Shortage[],
): Preemption | Rejection {
  const candidates = pods.filter((pod) => isPreemptable(critical, pod));
  const ofClass = (qosClass: string): readonly Pod[] =>
    candidates.filter((pod) => qosClassOf(pod) === qosClass);
  const none = ofClass("BestEffort");
  const some = ofClass("Burstable");
  const all = ofClass("Guaranteed");
  const missing = without(shortages, candidates);
  if (missing.length > 0) return notEnough(missing);
  const guaranteed = fewest(all, without(shortages, [...none, ...some]));
  const burstable = fewest(some, without(shortages, [...none, ...guaranteed]));
  const bestEffort = fewest(none, without(shortages, [...burstable, ...guaranteed]));
  const victims = [...bestEffort, ...burstable, ...guaranteed];
  return { victims, resource: shortages[0]?.name ?? "" };
}

/** Whether a pod ends for another one. */
function isPreemptable(critical: Pod, pod: Pod): boolean {
  if (isCritical(critical) && !isCritical(pod)) return true;
  const [own, other] = [critical.spec.priority, pod.spec.priority];
  return own !== undefined && other !== undefined && own > other;
}

/** Chooses pods until nothing is missing, each time the one that is closest to what is. There are enough of them. */
function fewest(pods: readonly Pod[], shortages: readonly Shortage[]): readonly Pod[] {
  const left = [...pods];
  const chosen: Pod[] = [];
  for (let missing = shortages; missing.length > 0; missing = without(missing, chosen.slice(-1))) {
    let best = left[0];
    for (const pod of left) if (best && isBetter(pod, best, missing)) best = pod;
    if (!best) break;
    chosen.push(best);
    left.splice(left.indexOf(best), 1);
  }
  return chosen;
}

function isBetter(pod: Pod, best: Pod, missing: readonly Shortage[]): boolean {
  const [own, other] = [distance(pod, missing), distance(best, missing)];
  return own < other || (own === other && isSmaller(pod, best));
}

/** How much of what is missing a pod would not free: each resource counts the same. */
const distance = (pod: Pod, missing: readonly Shortage[]): number =>
  missing.reduce(
    (sum, { name, amount }) => sum + Math.max(0, (amount - requestOf(pod, name)) / amount) ** 2,
    0,
  );

/** Whether a pod requests less memory, or less CPU if memory is the same; of equal pods the later one counts as less. */
function isSmaller(pod: Pod, other: Pod): boolean {
  const byMemory = requestOf(pod, "memory") - requestOf(other, "memory");
  return (byMemory || requestOf(pod, "cpu") - requestOf(other, "cpu")) <= 0;
}

/** What is still missing when pods have ended. */
const without = (shortages: readonly Shortage[], pods: readonly Pod[]): readonly Shortage[] =>
  shortages
    .map(({ name, amount }) => ({
      name,
      amount: amount - pods.reduce((sum, pod) => sum + requestOf(pod, name), 0),
    }))
    .filter(({ amount }) => amount > 0);

const requestOf = ({ spec }: Pod, name: string): number =>
  name === "pods" ? 1 : (useOf(spec).amounts.get(name) ?? 0);

function notEnough(missing: readonly Shortage[]): Rejection {
  const list = missing.map(({ name, amount }) => `(res: ${name}, q: ${amount}), `).join("");
  return {
    reason: "UnexpectedAdmissionError",
    message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${list}]`,
  };
}
