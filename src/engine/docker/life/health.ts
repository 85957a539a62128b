/** The health of a container, as clients read it. */
export interface Health {
  readonly Status: "starting" | "healthy" | "unhealthy";
  readonly FailingStreak: number;
  /** The latest probes, the oldest first. */
  readonly Log: readonly ProbeResult[];
}

export interface ProbeResult {
  readonly Start: string;
  readonly End: string;
  readonly ExitCode: number;
  readonly Output: string;
}

export interface HealthRule {
  readonly retries: number;
  readonly isStartPeriod: boolean;
}

export const startingHealth: Health = { Status: "starting", FailingStreak: 0, Log: [] };

/** The health after another probe. Failures during the start period do not count. */
export function nextHealth(before: Health, result: ProbeResult, rule: HealthRule): Health {
  const Log = [...before.Log, result].slice(-mostResults);
  if (result.ExitCode === 0) return { Status: "healthy", FailingStreak: 0, Log };
  const isStarting = rule.isStartPeriod && before.Status === "starting";
  const FailingStreak = isStarting ? 0 : before.FailingStreak + 1;
  const Status = FailingStreak >= rule.retries ? "unhealthy" : before.Status;
  return { Status, FailingStreak, Log };
}

const mostResults = 5;

/** The command of a probe, or undefined if there is none. */
export function probeCommand(
  test: readonly string[] | null,
  shell: readonly string[] | null,
): readonly string[] | undefined {
  const [kind, ...words] = test ?? [];
  if (kind === "CMD") return words;
  if (kind === "CMD-SHELL") return [...(shell ?? ["/bin/sh", "-c"]), words.join(" ")];
  return undefined;
}
