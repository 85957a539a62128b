import type { Description } from "./description.ts";
import { timeText } from "./time-text.ts";

interface TimedCondition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly lastTransitionTime?: string | null | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Conditions, and since when they are as they are. */
export function timedConditionLines(d: Description, conditions: readonly TimedCondition[]): void {
  if (conditions.length === 0) return;
  d.line("Conditions:");
  d.row(["Type", "Status", "LastTransitionTime", "Reason", "Message"], 1);
  d.row(["----", "------", "------------------", "------", "-------"], 1);
  for (const { type, status, lastTransitionTime, reason, message } of conditions)
    d.row([type ?? "", status ?? "", timeText(lastTransitionTime), reason ?? "", message ?? ""], 1);
}
