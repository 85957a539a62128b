import { errorMessage } from "../../base/error-message.ts";

/** How something is doing, and what was asked to find out. */
export interface HealthReport {
  readonly healthy: boolean;
  /** By name: undefined where all is well, and what is not otherwise. */
  readonly checks: Readonly<Record<string, string | undefined>>;
}

/** Makes all checks: each of them says by throwing that something is not well. */
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
