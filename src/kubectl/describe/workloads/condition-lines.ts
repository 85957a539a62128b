import type { Description } from "../description.ts";

interface Condition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

/** The conditions of a workload. */
export function conditionLines(d: Description, conditions: readonly Condition[] = []): void {
  if (conditions.length === 0) return;
  d.line("Conditions:");
  d.columns(["Type", "Status", "Reason"], 1);
  for (const { type, status, reason } of conditions)
    d.row([`${type ?? ""} `, status ?? "", reason ?? ""], 1);
}
