import type { HPAScalingRules } from "../../api/autoscaling/v2/horizontal-pod-autoscaler-spec.ts";

/** What was recommended and done for an autoscaler in the time that still counts. */
export interface ScalingHistory {
  readonly recommendations: readonly Recommendation[];
  readonly scaledUp: readonly ScaleEvent[];
  readonly scaledDown: readonly ScaleEvent[];
}

export interface Recommendation {
  readonly replicas: number;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

export interface ScaleEvent {
  /** How many pods were added or removed. */
  readonly change: number;
  readonly at: number;
}

/** The first recommendation is what there is, so that nothing is removed at once after a restart. */
export const initialHistory = (currentReplicas: number, now: number): ScalingHistory => ({
  recommendations: [{ replicas: currentReplicas, at: now }],
  scaledUp: [],
  scaledDown: [],
});

/** How many pods were added or removed in a period. */
export const changeIn = (
  events: readonly ScaleEvent[],
  periodSeconds: number,
  now: number,
): number =>
  events.reduce((sum, { change, at }) => (at > now - periodSeconds * 1000 ? sum + change : sum), 0);

/** Adds a change of the number of pods, and drops those that no policy looks at any more. */
export function withScaleEvent(
  history: ScalingHistory,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
  rules: HPAScalingRules | undefined,
): ScalingHistory {
  const longest = Math.max(0, ...(rules?.policies ?? []).map((policy) => policy.periodSeconds));
  const side = to > from ? "scaledUp" : "scaledDown";
  const kept = history[side].filter(({ at }) => at >= now - longest * 1000);
  return { ...history, [side]: [...kept, { change: Math.abs(to - from), at: now }] };
}
