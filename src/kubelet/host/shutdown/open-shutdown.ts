import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import { type ShutdownSettings, shutdownPeriods } from "../../shutdown/shutdown-groups.ts";
import {
  createShutdownManager,
  type EndingKubelet,
  type ShutdownManager,
} from "../../shutdown/shutdown-manager.ts";
import { type LogindOptions, openLogind } from "./logind.ts";
import { shutdownState } from "./shutdown-state.ts";
import { hasSystemd, watchShutdown } from "./watch-shutdown.ts";

/** The shutdown of a node on this machine. */
export interface Shutdown extends ShutdownManager {
  /**
   * Ends the pods of a kubelet when systemd shuts the machine down, until it is closed. Does nothing without systemd,
   * or if the configuration grants pods no time.
   */
  watch(kubelet: EndingKubelet): Promise<{ close(): void }>;
}

export interface OpenShutdownOptions extends ShutdownSettings {
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Used if systemd runs this machine, or if it is given. */
  readonly logind?: LogindOptions | undefined;
}

/**
 * Opens the shutdown of a node on this machine.
 */
export async function openShutdown(options: OpenShutdownOptions): Promise<Shutdown> {
  const { clock, log, rootDir, logind } = options;
  const periods = shutdownPeriods(options);
  const state = shutdownState(rootDir);
  const shutdown = createShutdownManager({
    ...options,
    periods,
    saveTimes: state.save,
    lastTimes: await state.load(),
  });
  return {
    ...shutdown,
    async watch(kubelet) {
      if (periods.length === 0 || !(logind || hasSystemd())) return { close: () => {} };
      const totalSeconds = periods.reduce((sum, { seconds }) => sum + seconds, 0);
      const parts = { shutdown, kubelet, totalSeconds, clock, log };
      return watchShutdown({ ...parts, logind: openLogind(logind) });
    },
  };
}
