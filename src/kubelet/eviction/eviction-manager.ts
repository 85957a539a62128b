import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { type Clock, steadyTimeOf, type Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import type { Kubelet } from "../kubelet.ts";
import type { NodePressure } from "../node/node-findings.ts";
import type { Rejection } from "../pod/admit-pod.ts";
import { isCritical } from "../pod/linux/critical-pod.ts";
import type { PodEnd } from "../pod/pod-end.ts";
import { rejectedByPressure } from "./admit-under-pressure.ts";
import { type EvictionWords, evictionMessage } from "./eviction-message.ts";
import { evictionMetrics } from "./eviction-metrics.ts";
import {
  type FilesystemLayout,
  type Reclaim,
  reclaimsOf,
  withContainerFs,
} from "./filesystem-layout.ts";
import { exceededStorageLimit, hasStorageLimit } from "./local-storage-limits.ts";
import type { PodUsage } from "./pod-usage.ts";
import { nextPressureState, noPressure, thresholdToReclaim } from "./pressure-state.ts";
import { rankPods } from "./rank-pods.ts";
import { type Observations, resourceOf } from "./signal.ts";
import { isHard, type Threshold, thresholdsMet } from "./threshold.ts";

/** Frees memory, disk and processes before a node runs out of them, by evicting pods if it must. */
export interface EvictionManager {
  /** Looks at the node of a kubelet now and then every ten seconds, until it is closed. */
  start(kubelet: EvictingKubelet): void;
  close(): void;
  /** The pressures that the node reports. */
  pressures(): readonly NodePressure[];
  /** Why the node rejects a new pod; undefined if it does not. */
  admit(pod: Pod): Rejection | undefined;
}

/** The parts of a kubelet that evictions need. */
export type EvictingKubelet = Pick<Kubelet, "nodeName" | "events" | "activePods" | "evict">;

export interface EvictionOptions {
  readonly thresholds: readonly Threshold[];
  /** How long a pressure is reported after it was last observed. */
  readonly transitionMs: number;
  /** The longest grace period of pods that a soft threshold evicts. */
  readonly maxPodGraceSeconds: number;
  /** Whether pods are evicted that exceed their limits of storage; by default they are. */
  readonly limitsLocalStorage?: boolean | undefined;
  /** Whether thresholds of memory are noticed within a second; by default with all others. */
  readonly watchesMemory?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly observer: NodeObserver;
  /** Removes what nobody uses. */
  readonly reclaim?: ((what: Reclaim) => Promise<void>) | undefined;
}

/** Observes a node. */
export interface NodeObserver {
  /** Where the node keeps images and what containers write. */
  layout(): Promise<FilesystemLayout>;
  /** The signals of some thresholds. */
  observe(thresholds: readonly Threshold[]): Promise<Observations>;
  /** What a pod uses; undefined if nothing of it runs. Only memory is always measured. */
  measure(pod: Pod, need: MeasureNeed): Promise<PodUsage | undefined>;
}

/** What of a pod's usage is needed: some parts take time to measure. */
export type MeasureNeed = "memory" | "disk" | "pids";

/** Creates a manager that has not started. */
export function createEvictionManager(options: EvictionOptions): EvictionManager {
  const { clock, log, observer, limitsLocalStorage = true } = options;
  const steadyTime = steadyTimeOf(clock);
  const metrics = evictionMetrics(options.metrics ?? noMetrics);
  let layout: FilesystemLayout | undefined;
  let { thresholds } = options;
  let state = noPressure;
  let timer: Timer | undefined;
  let watching: Timer | undefined;
  let isWorking = false;
  let isClosed = false;

  const evict = async (
    { kubelet, pod }: Evicted,
    end: PodEnd,
    annotations?: EvictionWords["annotations"],
  ): Promise<boolean> => {
    if (isCritical(pod)) return false;
    const { message } = end;
    kubelet.events.pod(pod, { type: "Warning", reason: "Evicted", message, annotations });
    await within(clock, cleanupMs, kubelet.evict(pod.metadata.uid ?? "", end));
    return true;
  };
  /** Evicts pods that exceed limits of their own. */
  const enforceLimits = async (
    kubelet: EvictingKubelet,
    where: FilesystemLayout,
  ): Promise<boolean> => {
    const limited = kubelet.activePods().filter(hasStorageLimit);
    const evicted = await Promise.all(
      limited.map(async (pod) => {
        const usage = await observer.measure(pod, "disk");
        const limit = usage && exceededStorageLimit(pod, usage, where);
        if (!limit) return false;
        const { signal, message } = limit;
        const end = { reason: "Evicted", message, graceSeconds: immediateGrace };
        const isDone = await evict({ kubelet, pod }, end);
        if (isDone) metrics.evicted(signal);
        return isDone;
      }),
    );
    return evicted.includes(true);
  };
  /** Removes what nobody uses; returns whether that was enough. */
  const reclaim = async ({ signal }: Threshold, where: FilesystemLayout): Promise<boolean> => {
    const steps = options.reclaim ? reclaimsOf(signal, where) : [];
    for (const step of steps)
      await options.reclaim?.(step).catch((error: unknown) => {
        log.warn("reclaiming a resource failed", { step, error });
      });
    if (steps.length === 0) return false;
    return thresholdsMet(thresholds, await observer.observe(thresholds), true).length === 0;
  };
  /** Evicts the first pod that can be evicted for a threshold. */
  const evictOne = async (
    kubelet: EvictingKubelet,
    met: Threshold,
    where: FilesystemLayout,
  ): Promise<boolean> => {
    const { signal } = met;
    const resource = resourceOf(signal);
    const { due, observations } = state;
    const pods = kubelet.activePods();
    const need = resource === "memory" || resource === "pids" ? resource : "disk";
    const usages = await usagesOf(pods, (pod) => observer.measure(pod, need));
    for (const pod of rankPods(pods, { signal, layout: where, usages })) {
      const { uid = "", generation } = pod.metadata;
      const usage = usages.get(uid);
      const words = evictionMessage({ resource, pod, usage, thresholds: due, observations });
      const { message } = words;
      const end: PodEnd = {
        reason: "Evicted",
        message,
        graceSeconds: isHard(met) ? immediateGrace : softGrace(pod, options),
        condition: {
          type: "DisruptionTarget",
          status: "True",
          reason: "TerminationByKubelet",
          message,
          ...(generation !== undefined && { observedGeneration: generation }),
        },
      };
      if (!(await evict({ kubelet, pod }, end, words.annotations))) continue;
      metrics.evicted(signal);
      return true;
    }
    log.warn("no pod of the node can be evicted", { signal });
    return false;
  };
  /** Returns whether pods were evicted. */
  const synchronize = async (kubelet: EvictingKubelet): Promise<boolean> => {
    if (layout === undefined) {
      layout = await observer.layout();
      thresholds = withContainerFs(thresholds, layout);
    }
    const observations = await observer.observe(thresholds);
    const last = state.observations;
    const { transitionMs } = options;
    state = nextPressureState(state, { thresholds, observations, now: steadyTime(), transitionMs });
    if (limitsLocalStorage && (await enforceLimits(kubelet, layout))) return true;
    const met = thresholdToReclaim(state, last);
    if (!met) return false;
    const message = `Attempting to reclaim ${resourceOf(met.signal)}`;
    const event = { type: "Warning", reason: "EvictionThresholdMet", message } as const;
    kubelet.events.node({ metadata: { name: kubelet.nodeName } }, event);
    if (await reclaim(met, layout)) return false;
    for (const { signal } of state.due)
      metrics.statsAge(signal, steadyTime() - (observations.get(signal)?.at ?? steadyTime()));
    return evictOne(kubelet, met, layout);
  };
  const work = async (kubelet: EvictingKubelet): Promise<void> => {
    isWorking = true;
    let hasEvicted = false;
    try {
      hasEvicted = await synchronize(kubelet);
    } catch (error) {
      log.warn("looking for resources to reclaim failed", { error });
    }
    isWorking = false;
    // More pods may have to go: the node is looked at again soon.
    const wait = hasEvicted ? againMs : intervalMs;
    if (!isClosed) timer = clock.setTimer(wait, () => void work(kubelet));
  };

  /** Looks at memory alone, and at all that there is as soon as a threshold of it is crossed. */
  const watchMemory = async (kubelet: EvictingKubelet, wasMet = false): Promise<void> => {
    const ofMemory = thresholds.filter(({ signal }) => resourceOf(signal) === "memory");
    const observed = await observer.observe(ofMemory).catch(() => undefined);
    const isMet = observed ? thresholdsMet(ofMemory, observed, false).length > 0 : wasMet;
    if (isClosed) return;
    const isDue = isMet && !wasMet && !isWorking;
    if (isDue) {
      timer?.cancel();
      void work(kubelet);
    }
    watching = clock.setTimer(watchMs, () => void watchMemory(kubelet, isMet && (wasMet || isDue)));
  };

  return {
    start(kubelet) {
      void work(kubelet);
      if (options.watchesMemory) void watchMemory(kubelet);
    },
    close() {
      isClosed = true;
      timer?.cancel();
      watching?.cancel();
    },
    pressures: () => state.pressures,
    admit: (pod) => rejectedByPressure(pod, state.pressures),
  };
}

interface Evicted {
  readonly kubelet: EvictingKubelet;
  readonly pod: Pod;
}

const watchMs = 500;
const intervalMs = 10_000;
const againMs = 1000;
/** How long the node waits for an evicted pod before it is looked at again. */
const cleanupMs = 30_000;
/** What hard thresholds and limits grant, in seconds. */
const immediateGrace = 1;

function softGrace({ spec }: Pod, { maxPodGraceSeconds }: EvictionOptions): number {
  return Math.min(maxPodGraceSeconds, spec.terminationGracePeriodSeconds ?? maxPodGraceSeconds);
}

async function usagesOf(
  pods: readonly Pod[],
  measure: (pod: Pod) => Promise<PodUsage | undefined>,
): Promise<ReadonlyMap<string, PodUsage>> {
  const all = await Promise.all(
    pods.map(async (pod) => {
      const usage = await measure(pod).catch(() => undefined);
      return usage ? [[pod.metadata.uid ?? "", usage] as const] : [];
    }),
  );
  return new Map(all.flat());
}

/** Waits for work, but not longer than so many milliseconds. */
async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    timer = clock.setTimer(ms, resolve);
  });
  await Promise.race([work, late]).finally(() => timer?.cancel());
}
