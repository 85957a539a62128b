import type { NodePressure } from "../node/node-findings.ts";
import { type Observations, pressureOf } from "./signal.ts";
import { type Threshold, thresholdsMet } from "./threshold.ts";

/** What is known of the thresholds of a node. */
export interface PressureState {
  /** Since when each threshold is met. */
  readonly metSince: ReadonlyMap<Threshold, number>;
  /** The thresholds that were met for their grace periods, and of which not enough is free again. */
  readonly due: readonly Threshold[];
  /** When each pressure was last observed. */
  readonly pressedAt: ReadonlyMap<NodePressure, number>;
  /** The pressures that the node reports. */
  readonly pressures: readonly NodePressure[];
  readonly observations: Observations;
}

export const noPressure: PressureState = {
  metSince: new Map(),
  due: [],
  pressedAt: new Map(),
  pressures: [],
  observations: new Map(),
};

export interface PressureInput {
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
  readonly now: number;
  /** How long a pressure is reported after it was last observed. */
  readonly transitionMs: number;
}

/** The state after new observations. */
export function nextPressureState(state: PressureState, input: PressureInput): PressureState {
  const { thresholds, observations, now, transitionMs } = input;
  const met = new Set([
    ...thresholdsMet(thresholds, observations, false),
    ...thresholdsMet(state.due, observations, true),
  ]);
  const metSince = new Map([...met].map((one) => [one, state.metSince.get(one) ?? now]));
  const pressedAt = new Map([
    ...state.pressedAt,
    ...[...met].map(({ signal }) => [pressureOf(signal), now] as const),
  ]);
  return {
    metSince,
    due: [...met].filter((one) => now - (metSince.get(one) ?? now) >= one.graceMs),
    pressedAt,
    pressures: [...pressedAt]
      .filter(([, at]) => now - at < transitionMs)
      .map(([pressure]) => pressure),
    observations,
  };
}

/** The due threshold to act on: memory first, and only on news since the last observations. */
export function thresholdToReclaim(
  { due, observations }: PressureState,
  last: Observations,
): Threshold | undefined {
  const fresh = due.filter(({ signal }) => {
    const at = observations.get(signal)?.at;
    return at !== undefined && at > (last.get(signal)?.at ?? Number.NEGATIVE_INFINITY);
  });
  return fresh.find(({ signal }) => pressureOf(signal) === "MemoryPressure") ?? fresh[0];
}
