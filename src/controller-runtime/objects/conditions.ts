import type { Clock } from "../../base/clock.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";

/** What conditions of all kinds have in common. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly observedGeneration?: number | undefined;
}

/** A condition to set; its transition time is computed. */
export type NewCondition<C> = Omit<C, "lastTransitionTime"> & {
  readonly lastTransitionTime?: string | undefined;
};

/**
 * The conditions with one of them set; the same list if nothing changed. The transition time changes
 * only with the status, and is now if not given.
 */
export function withCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  condition: NewCondition<C>,
  clock: Pick<Clock, "now">,
): readonly C[] {
  const all = conditions ?? [];
  const old = findCondition(all, condition.type);
  const time = condition.lastTransitionTime ?? formatTime(timeFromMillis(clock.now()));
  if (old === undefined)
    return [...all, { ...condition, lastTransitionTime: time } as unknown as C];
  const { status: _, reason: _r, message: _m, observedGeneration: _g, ...rest } = old;
  const lastTransitionTime = old.status === condition.status ? old.lastTransitionTime : time;
  const next = { ...rest, ...condition, lastTransitionTime } as unknown as C;
  if (said.every((field) => next[field] === old[field])) return all;
  return all.map((one) => (one === old ? next : one));
}

/** The conditions without one of them; the same list if it is absent. */
export function withoutCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  const all = conditions ?? [];
  return all.some((one) => one.type === type) ? all.filter((one) => one.type !== type) : all;
}

/** The condition of a type. */
export function findCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((one) => one.type === type);
}

/** Whether a condition is present and true. */
export const isConditionTrue = (
  conditions: readonly ConditionLike[] | undefined,
  type: string,
): boolean => findCondition(conditions, type)?.status === "True";

const said = ["status", "reason", "message", "observedGeneration"] as const;
