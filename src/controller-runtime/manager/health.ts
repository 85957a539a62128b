import { errorMessage } from "../../base/error-message.ts";

/** The result of health checks. */
export interface HealthReport {
  readonly healthy: boolean;
  /** By name: undefined if the check passed, else why it failed. */
  readonly checks: Readonly<Record<string, string | undefined>>;
}

/** Runs all checks; a check fails by throwing. */
export function healthReport(checks: Readonly<Record<string, () => void>>): HealthReport {
  const results: Record<string, string | undefined> = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      check();
      results[name] = undefined;
    } catch (error) {
      results[name] = errorMessage(error);
    }
  }
  return { healthy: Object.values(results).every((one) => one === undefined), checks: results };
}
