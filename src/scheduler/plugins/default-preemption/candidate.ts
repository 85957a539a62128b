import { timeOf } from "../../../api/core/v1/pod/pod-state.ts";
import type { PodInfo } from "../../framework/pod-info.ts";

/** A node that would fit a pod after the eviction of some others. */
export interface Candidate {
  readonly node: string;
  /** The victims, the most important first. */
  readonly victims: readonly PodInfo[];
  /** The number of victims that a disruption budget protects. */
  readonly violations: number;
}

/**
 * Chooses a node by these criteria: the fewest budget violations, the lowest priority of the most
 * important victim, the lowest sum of priorities, the fewest victims, the latest start of the most
 * important victims, and then the first.
 */
export function bestCandidate(
  candidates: readonly Candidate[],
  now: number,
): Candidate | undefined {
  let best = candidates;
  for (const harm of harms) {
    if (best.length <= 1) break;
    const least = Math.min(...best.map((one) => harm(one, now)));
    best = best.filter((one) => harm(one, now) === least);
  }
  return best[0];
}

/** Orders pods by importance: by descending priority, then by start time. */
export function moreImportantFirst(now: number): (a: PodInfo, b: PodInfo) => number {
  return (a, b) => b.priority - a.priority || startOf(a, now) - startOf(b, now);
}

type Harm = (candidate: Candidate, now: number) => number;

const harms: readonly Harm[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? 0,
  // Priorities may be negative: the offset makes each victim count.
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims }, now) => -earliestStart(victims, now),
];

/** The earliest start among the victims of the highest priority. */
function earliestStart(victims: readonly PodInfo[], now: number): number {
  const most = Math.max(...victims.map(({ priority }) => priority));
  const starts = victims
    .filter(({ priority }) => priority === most)
    .map((victim) => startOf(victim, now));
  return Math.min(...starts);
}

const startOf = ({ pod }: PodInfo, now: number): number => timeOf(pod.status.startTime) ?? now;
