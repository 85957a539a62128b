import type { QueryParameters } from "../../../client/resource-path.ts";
import { formatTime, parseTime } from "../../../schema/values/time.ts";

/** The flags that say which part of a log is printed. */
export interface LogFlags {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly "insecure-skip-tls-verify-backend": boolean;
  readonly "since-time": string;
  readonly since: number;
  readonly tail: number;
  readonly "limit-bytes": number;
  readonly selector: string;
}

/** The parameters of a request for a log; the container comes first, as the original sorts them. */
export function logQuery(flags: LogFlags, isTailGiven: boolean): QueryParameters {
  const seconds = sinceSeconds(flags.since);
  const tail = tailLines(flags, isTailGiven);
  return {
    follow: flags.follow || undefined,
    insecureSkipTLSVerifyBackend: flags["insecure-skip-tls-verify-backend"] || undefined,
    limitBytes: flags["limit-bytes"] || undefined,
    previous: flags.previous || undefined,
    sinceSeconds: seconds,
    sinceTime: flags["since-time"] === "" ? undefined : timeOf(flags["since-time"]),
    tailLines: tail,
    timestamps: flags.timestamps || undefined,
  };
}

/** Checks flags that exclude each other, or have impossible values. */
export function checkLogFlags(
  flags: LogFlags & { readonly "all-containers": boolean },
  given: { readonly container: string; readonly isFlag: boolean; readonly args: number },
): void {
  if (flags["since-time"] !== "" && flags.since !== 0)
    throw new Error("at most one of `sinceTime` or `sinceSeconds` may be specified");
  if (flags["all-containers"] && given.container !== "")
    throw new Error(
      `--all-containers=true should not be specified with container name ${given.container}`,
    );
  if (given.isFlag && given.args === 2)
    throw new Error("only one of -c or an inline [CONTAINER] arg is allowed");
  if (flags["limit-bytes"] < 0) throw new Error("--limit-bytes must be greater than 0");
  if ((sinceSeconds(flags.since) ?? 0) < 0) throw new Error("--since must be greater than 0");
  if (flags.tail < -1) throw new Error("--tail must be greater than or equal to -1");
}

/** Half seconds are rounded away from zero. */
function sinceSeconds(ms: number): number | undefined {
  if (ms === 0) return undefined;
  return Math.sign(ms) * Math.round(Math.abs(ms) / 1000);
}

function tailLines({ selector, tail }: LogFlags, isGiven: boolean): number | undefined {
  if (selector !== "" && tail === -1 && !isGiven) return linesOfSelected;
  return tail === -1 ? undefined : tail;
}

const linesOfSelected = 10;

function timeOf(text: string): string {
  try {
    return formatTime(parseTime(text));
  } catch (cause) {
    const quoted = JSON.stringify(text);
    throw new Error(
      `parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`,
      { cause },
    );
  }
}
