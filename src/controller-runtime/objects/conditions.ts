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

/** A condition as it is set; when its status changed is found out. */
export type NewCondition<C> = Omit<C, "lastTransitionTime"> & {
  readonly lastTransitionTime?: string | undefined;
};

/**
 * The conditions with one of them set: the same list where it says nothing new. The time of the last
 * transition changes with the status alone, and is now where it is not given.
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

/** The conditions without one of them: the same list where it is not there. */
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

/** Whether a condition is there and holds. */
export const isConditionTrue = (
  conditions: readonly ConditionLike[] | undefined,
  type: string,
): boolean => findCondition(conditions, type)?.status === "True";

const said = ["status", "reason", "message", "observedGeneration"] as const;
