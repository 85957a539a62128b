import { timeOf } from "../../../api/core/v1/pod/pod-state.ts";
import type { PodInfo } from "../../framework/pod-info.ts";

/** A node that would suit a pod if some others went. */
export interface Candidate {
  readonly node: string;
  /** Those that would have to go, the most important first. */
  readonly victims: readonly PodInfo[];
  /** How many of them a budget protects. */
  readonly violations: number;
}

/**
 * The node on which the least harm is done: the fewest budgets broken, then the least important of the
 * most important victims, then the least importance in all, then the fewest victims, and then those
 * that were started last. The first where all is equal.
 */
export function leastHarm(candidates: readonly Candidate[], now: number): Candidate | undefined {
  let best = candidates;
  for (const harm of harms) {
    if (best.length <= 1) break;
    const least = Math.min(...best.map((one) => harm(one, now)));
    best = best.filter((one) => harm(one, now) === least);
  }
  return best[0];
}

/** Orders pods, the more important first: by priority, and of equal ones who was started first. */
export function moreImportantFirst(now: number): (a: PodInfo, b: PodInfo) => number {
  return (a, b) => b.priority - a.priority || startOf(a, now) - startOf(b, now);
}

type Harm = (candidate: Candidate, now: number) => number;

const harms: readonly Harm[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? 0,
  // Priorities may be negative: each victim counts.
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims }, now) => -earliestStart(victims, now),
];

/** When the first of the most important victims was started. */
function earliestStart(victims: readonly PodInfo[], now: number): number {
  const most = Math.max(...victims.map(({ priority }) => priority));
  const starts = victims
    .filter(({ priority }) => priority === most)
    .map((victim) => startOf(victim, now));
  return Math.min(...starts);
}

const startOf = ({ pod }: PodInfo, now: number): number => timeOf(pod.status.startTime) ?? now;
