import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { KubeletConfiguration } from "../../kubelet/config/kubelet-configuration.ts";
import type { ContainerPolicy } from "../../kubelet/garbage/container-garbage.ts";
import {
  type OpenEvictionOptions,
  openEviction,
} from "../../kubelet/host/eviction/open-eviction.ts";
import { openGarbageCollector } from "../../kubelet/host/garbage/open-garbage-collector.ts";
import {
  type ContainerLogs,
  openContainerLogs,
} from "../../kubelet/host/logs/open-container-logs.ts";
import { watchOom } from "../../kubelet/host/oom/watch-oom.ts";
import { openShutdown } from "../../kubelet/host/shutdown/open-shutdown.ts";
import type { ImageAccess } from "../../kubelet/images/access/image-access.ts";
import type { Kubelet, KubeletOptions } from "../../kubelet/kubelet.ts";
import type { NodePressure } from "../../kubelet/node/node-findings.ts";
import { admitAppArmor } from "../../kubelet/pod/admit-apparmor.ts";
import { openCgroups } from "../../platform/cgroups/host-cgroups.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";
import { durationMillis } from "../../schema/values/duration.ts";
import { parseQuantity, quantityValue } from "../../schema/values/quantity.ts";

export interface NodeUpkeepOptions {
  readonly configuration: KubeletConfiguration;
  readonly rootDir: string;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly imageAccess: ImageAccess;
  readonly volumeUsage: NonNullable<OpenEvictionOptions["volumeUsage"]>;
  /** How many ended containers are kept; by default the last one of each container of a pod. */
  readonly containerPolicy?: ContainerPolicy | undefined;
  /** Whether pods may use what hard eviction thresholds keep free; by default they may not. */
  readonly allocatableIgnoresEviction?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What protects a machine: eviction, garbage collection, rotation of logs, orderly shutdown. */
export interface NodeUpkeep {
  /** Why the node rejects a pod; undefined if it does not. */
  readonly admit: NonNullable<KubeletOptions["admit"]>;
  /** The logs of containers. */
  readonly logs: ContainerLogs;
  /** The resources that eviction keeps free. */
  reserve(capacity: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  pressures(): readonly NodePressure[];
  /** Why the node is not ready. */
  problems(): readonly string[];
  /** Starts for a kubelet that knows its pods. */
  start(kubelet: Kubelet): Promise<void>;
  close(): void;
}

/** Opens what protects this machine, as a kubelet's configuration says. */
export async function openNodeUpkeep(options: NodeUpkeepOptions): Promise<NodeUpkeep> {
  const { configuration: config, rootDir, runtime, images, clock, log, metrics } = options;
  const podLogsDir = config.podLogsDir ?? "";
  const logs = openContainerLogs({
    ...{ runtime, clock, log, podLogsDir },
    linksDir: join(podLogsDir, "..", "containers"),
    maxBytes: quantityValue(parseQuantity(config.containerLogMaxSize || "10Mi")),
    maxFiles: config.containerLogMaxFiles ?? 5,
    maxWorkers: config.containerLogMaxWorkers ?? 1,
    monitorMs: millis(config.containerLogMonitorInterval, "10s"),
  });
  const garbage = openGarbageCollector({
    ...{ runtime, images, clock, log, metrics, rootDir, logs, access: options.imageAccess },
    imagePolicy: {
      highThresholdPercent: config.imageGCHighThresholdPercent ?? 85,
      lowThresholdPercent: config.imageGCLowThresholdPercent ?? 80,
      minAgeMs: millis(config.imageMinimumGCAge, "2m"),
      maxAgeMs: millis(config.imageMaximumGCAge, "0s"),
    },
    containerPolicy: options.containerPolicy ?? {
      ...{ minAgeMs: 0, maxPerContainer: 1, maxContainers: -1 },
    },
  });
  const eviction = openEviction({
    ...{ runtime, images, clock, log, metrics, rootDir, podLogsDir },
    ...config,
    cgroups: await openCgroups(),
    volumeUsage: options.volumeUsage,
    limitsLocalStorage: config.localStorageCapacityIsolation,
    watchesMemory: config.kernelMemcgNotification,
    transitionMs: millis(config.evictionPressureTransitionPeriod, "5m"),
    maxPodGraceSeconds: config.evictionMaxPodGracePeriod ?? 0,
    reclaim: (what) => garbage.reclaim(what),
  });
  const shutdown = await openShutdown({
    ...{ rootDir, clock, log, metrics },
    graceSeconds: millis(config.shutdownGracePeriod, "0s") / 1000,
    criticalPodsSeconds: millis(config.shutdownGracePeriodCriticalPods, "0s") / 1000,
    byPriority: (config.shutdownGracePeriodByPodPriority ?? []).map(
      ({ priority, shutdownGracePeriodSeconds }) => ({
        priority,
        seconds: Number(shutdownGracePeriodSeconds),
      }),
    ),
  });
  const hasAppArmor = (await readIfPresent(appArmorFile))?.startsWith("Y") ?? false;
  const closing: (() => void)[] = [];
  return {
    logs,
    admit: (pod) => shutdown.admit(pod) ?? eviction.admit(pod) ?? admitAppArmor(pod, hasAppArmor),
    reserve: options.allocatableIgnoresEviction ? () => ({}) : eviction.reserve,
    pressures: () => eviction.pressures(),
    problems: () => shutdown.problems(),
    async start(kubelet) {
      await logs.start();
      garbage.start(kubelet);
      eviction.start(kubelet);
      const oom = await watchOom(kubelet, { clock, log, nodeCgroup: config.cgroupRoot });
      const watched = await shutdown.watch(kubelet);
      closing.push(
        () => watched.close(),
        () => oom.close(),
      );
    },
    close() {
      for (const close of closing) close();
      eviction.close();
      garbage.close();
      logs.close();
    },
  };
}

const appArmorFile = "/sys/module/apparmor/parameters/enabled";

const millis = (text: string | undefined, usual: string): number => durationMillis(text || usual);
