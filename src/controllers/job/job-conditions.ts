import type { JobCondition, JobStatus } from "../../api/batch/v1/job-status.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";

/** A condition without its times. */
export type ConditionInput = Pick<JobCondition, "type" | "status" | "reason" | "message">;

/** A condition that is true. */
export const isTrue = (type: string, reason: string, message: string): ConditionInput => ({
  type,
  status: "True",
  reason,
  message,
});

/** A condition that is true of a status. */
export const conditionOf = (
  { conditions = [] }: JobStatus,
  type: string,
): JobCondition | undefined => conditions.find((one) => one.type === type && one.status === "True");

/** The conditions with one more or a changed one; a condition that was never true is not added as false. */
export function withCondition(
  conditions: readonly JobCondition[],
  { type, status, reason, message }: ConditionInput,
  now: number,
): readonly JobCondition[] {
  const index = conditions.findIndex((one) => one.type === type);
  const present = conditions[index];
  if (!present && status === "False") return conditions;
  if (present?.status === status && present.reason === reason && present.message === message)
    return conditions;
  const time = formatTime(timeFromMillis(now));
  const times = { lastProbeTime: time, lastTransitionTime: time };
  const condition = { type, status, ...times, reason, message } as JobCondition;
  return present ? conditions.with(index, condition) : [...conditions, condition];
}
