import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import type { Kubelet } from "../kubelet.ts";
import type { Rejection } from "../pod/admit-pod.ts";
import type { PodEnd } from "../pod/pod-end.ts";
import { type ShutdownGroup, type ShutdownPeriod, shutdownGroups } from "./shutdown-groups.ts";

/** Ends the pods of a node in order before the node shuts down. */
export interface ShutdownManager {
  /** Ends all pods; resolves when they have ended, or their time is over. No pods are accepted from then on. */
  shutDown(kubelet: EndingKubelet): Promise<void>;
  /** The node does not shut down after all: it accepts pods again. */
  cancel(kubelet: EndingKubelet): void;
  /** Why the node rejects a new pod; undefined if it does not. */
  admit(pod: Pod): Rejection | undefined;
  /** Why the node is not ready. */
  problems(): readonly string[];
}

/** The parts of a kubelet that a shutdown needs. */
export type EndingKubelet = Pick<
  Kubelet,
  "nodeName" | "events" | "activePods" | "evict" | "refreshNode"
>;

export interface ShutdownOptions {
  /** The lowest priority first. */
  readonly periods: readonly ShutdownPeriod[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Keeps the times of a shutdown for the metrics of the next kubelet. */
  readonly saveTimes?: ((times: ShutdownTimes) => Promise<void>) | undefined;
  /** The times of the previous shutdown. */
  readonly lastTimes?: ShutdownTimes | undefined;
}

/** When a shutdown began and ended, in milliseconds since the epoch. */
export interface ShutdownTimes {
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
}

export function createShutdownManager(options: ShutdownOptions): ShutdownManager {
  const { periods, clock, log, lastTimes } = options;
  const show = timeMetrics(options.metrics ?? noMetrics);
  if (lastTimes) show(lastTimes);
  let isShuttingDown = false;

  const note = async (times: ShutdownTimes): Promise<void> => {
    show(times);
    await options.saveTimes?.(times).catch((error: unknown) => {
      log.warn("saving the times of the shutdown failed", { error });
    });
  };
  const tell = ({ nodeName, events }: EndingKubelet, message: string): void =>
    events.node({ metadata: { name: nodeName } }, { type: "Normal", reason, message });
  const endGroup = async (kubelet: EndingKubelet, group: ShutdownGroup): Promise<void> => {
    const { seconds, priority, pods } = group;
    log.info("ending pods because the node shuts down", { priority, seconds, pods: pods.length });
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = clock.setTimer(seconds * 1000, resolve);
    });
    const ends = pods.map((pod) => kubelet.evict(pod.metadata.uid ?? "", endOf(pod, seconds)));
    await Promise.race([Promise.all(ends), late]);
    timer?.cancel();
  };

  return {
    async shutDown(kubelet) {
      tell(kubelet, "Shutdown manager detected shutdown event");
      isShuttingDown = true;
      const startedAt = clock.now();
      await note({ startedAt });
      void kubelet.refreshNode().catch((error: unknown) => {
        log.warn("writing the status of the node failed", { error });
      });
      for (const group of shutdownGroups(periods, kubelet.activePods()))
        await endGroup(kubelet, group);
      await note({ startedAt, endedAt: clock.now() });
    },
    cancel(kubelet) {
      tell(kubelet, "Shutdown manager detected shutdown cancellation");
      isShuttingDown = false;
    },
    admit: () => (isShuttingDown ? rejection : undefined),
    problems: () => (isShuttingDown ? ["node is shutting down"] : []),
  };
}

const reason = "NodeShutdown";
const rejection: Rejection = { reason, message: "Pod was rejected as the node is shutting down." };

/** A pod has its own grace period, but not more than its group. */
function endOf({ metadata: { generation }, spec }: Pod, seconds: number): PodEnd {
  const message = "Pod was terminated in response to imminent node shutdown.";
  return {
    reason: "Terminated",
    message,
    graceSeconds: Math.min(seconds, spec.terminationGracePeriodSeconds ?? seconds),
    condition: {
      type: "DisruptionTarget",
      status: "True",
      reason: "TerminationByKubelet",
      message,
      ...(generation !== undefined && { observedGeneration: generation }),
    },
  };
}

function timeMetrics(metrics: Metrics): (times: ShutdownTimes) => void {
  const gauge = (what: "start" | "end") =>
    metrics.gauge({
      name: `kubelet_graceful_shutdown_${what}_time_seconds`,
      help: `Last graceful shutdown ${what} time since unix epoch in seconds`,
      stability: "ALPHA",
    });
  const start = gauge("start").of();
  const end = gauge("end").of();
  return ({ startedAt, endedAt = 0 }) => {
    start.set(Math.floor(startedAt / 1000));
    end.set(Math.floor(endedAt / 1000));
  };
}
