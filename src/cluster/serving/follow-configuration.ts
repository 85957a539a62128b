import { readFile } from "node:fs/promises";
import type { ReloadMetrics } from "../../apiserver/metrics/reload-metrics.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { Log } from "../../base/log.ts";
import { watchFiles } from "../../platform/watch-files.ts";

/** A configuration file that can be replaced while a server runs. */
export interface FollowedConfiguration<T> {
  readonly path: string;
  /** The text in use. */
  readonly text: string;
  /** Reads and checks a text; throws if it can never be used. */
  readonly check: (text: string) => T | Promise<T>;
  /** Uses what was read; rejects if that is not possible now. */
  readonly use: (checked: T) => void | Promise<void>;
  readonly metrics: ReloadMetrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long after a failure that may pass the file is read again. */
const retryMs = 60_000;

/**
 * Uses a replaced configuration file. What cannot be used, such as a file that is half written, leaves the last
 * good one in use.
 */
export function followConfiguration<T>(followed: FollowedConfiguration<T>): { close(): void } {
  const { path, check, use, metrics, clock, log } = followed;
  let known = followed.text;
  let timer: Timer | undefined;
  let isClosed = false;
  const failed = (error: unknown): void => {
    if (isClosed) return;
    log.error("reloading a configuration file failed", error, { path });
    metrics.failed();
  };
  const retry = (error: unknown): void => {
    failed(error);
    if (!isClosed) timer = clock.setTimer(retryMs, () => void reload());
  };
  const reload = coalesceCalls(async () => {
    timer?.cancel();
    if (isClosed) return;
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      retry(error);
      return;
    }
    if (text === known) return;
    let checked: T;
    try {
      checked = await check(text);
    } catch (error) {
      // The same text would fail again.
      known = text;
      failed(error);
      return;
    }
    try {
      await use(checked);
    } catch (error) {
      retry(error);
      return;
    }
    known = text;
    log.info("reloaded a configuration file", { path });
    metrics.reloaded(text);
  });
  metrics.uses(known);
  const watching = watchFiles([path], { clock, onChange: () => void reload() });
  return {
    close() {
      isClosed = true;
      timer?.cancel();
      watching.close();
    },
  };
}
