import type { Clock, Timer } from "../../base/clock.ts";
import type { LogLevel } from "../../platform/create-log.ts";

export interface SplitLogOptions {
  /** Where errors go, and all other messages. */
  readonly errors: (text: string) => void;
  readonly others: (text: string) => void;
  /** How many bytes of other messages are kept before they are written; 0 to write each at once. */
  readonly bufferBytes: number;
  /** How long they are kept at most. */
  readonly flushMs: number;
  readonly clock: Clock;
}

/** A log in two streams. What is kept is written before an error, and when the program ends. */
export interface SplitLog {
  write(line: string, level: LogLevel): void;
  flush(): void;
}

/** Creates a log that keeps nothing yet. */
export function splitLog({
  errors,
  others,
  bufferBytes,
  flushMs,
  clock,
}: SplitLogOptions): SplitLog {
  let kept = "";
  let timer: Timer | undefined;
  const flush = (): void => {
    timer?.cancel();
    timer = undefined;
    if (kept === "") return;
    others(kept);
    kept = "";
  };
  return {
    write(line, level) {
      if (level === "error") {
        flush();
        errors(line);
        return;
      }
      kept += line;
      if (kept.length >= bufferBytes) flush();
      else timer ??= clock.setTimer(flushMs, flush);
    },
    flush,
  };
}
