import { existsSync } from "node:fs";
import { type Clock, sleep, type Timer } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { EndingKubelet, ShutdownManager } from "../../shutdown/shutdown-manager.ts";
import type { Logind, ShutdownLock } from "./logind.ts";

export interface ShutdownWatchOptions {
  readonly logind: Logind;
  readonly shutdown: ShutdownManager;
  readonly kubelet: EndingKubelet;
  /** The time that all pods together have to end. */
  readonly totalSeconds: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whether systemd runs this machine, and tells when the machine shuts down. */
export const hasSystemd = (): boolean => existsSync("/run/systemd/system");

/**
 * Delays the shutdown of this machine until the pods of a kubelet have ended. Rejects if systemd does not wait long
 * enough.
 */
export async function watchShutdown(options: ShutdownWatchOptions): Promise<{ close(): void }> {
  const { logind, shutdown, kubelet, clock, log } = options;
  await ensureDelay(options);
  let lock: ShutdownLock | undefined = logind.delayShutdown();
  let watch: { close(): void } | undefined;
  let timer: Timer | undefined;
  let isClosed = false;

  const changed = (isShuttingDown: boolean): void => {
    if (!isShuttingDown) {
      shutdown.cancel(kubelet);
      lock?.release();
      lock = logind.delayShutdown();
      return;
    }
    void shutdown
      .shutDown(kubelet)
      .catch((error: unknown) => log.error("ending pods before the shutdown failed", error))
      .then(() => lock?.release());
  };
  const start = (): void => {
    watch = logind.watch(changed, () => {
      if (isClosed) return;
      log.warn("watching for the shutdown of the machine ended");
      timer = clock.setTimer(againMs, start);
    });
  };
  start();
  return {
    close() {
      isClosed = true;
      timer?.cancel();
      watch?.close();
      lock?.release();
    },
  };
}

/** After a lost connection. */
const againMs = 1000;

/** Has logind wait as long as pods need; it reads its configuration again a moment later. */
async function ensureDelay({ logind, totalSeconds, clock }: ShutdownWatchOptions): Promise<void> {
  if ((await logind.maxDelaySeconds()) >= totalSeconds) return;
  await logind.raiseMaxDelay(totalSeconds);
  let current = 0;
  for (let attempt = 0, wait = 100; attempt < mostAttempts; attempt++, wait *= 2) {
    current = await logind.maxDelaySeconds();
    if (current >= totalSeconds) return;
    await sleep(clock, wait);
  }
  throw new Error(
    `node shutdown manager was timed out after ${mostAttempts} attempts waiting for logind InhibitDelayMaxSec to update to ${totalSeconds}s (ShutdownGracePeriod), current value is ${current}s`,
  );
}

const mostAttempts = 5;
