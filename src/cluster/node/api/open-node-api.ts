import { join } from "node:path";
import { addBuildMetrics } from "../../../apiserver/metrics/build-metrics.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { MetricsRegistry } from "../../../base/metrics-registry.ts";
import type { Random } from "../../../base/random.ts";
import type { Client } from "../../../client/client.ts";
import type { ImageService } from "../../../cri/image-service.ts";
import { kubeletApi } from "../../../kubelet/api/kubelet-api.ts";
import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import { serviceLogs } from "../../../kubelet/host/service-logs.ts";
import {
  openStatsHost,
  type StatsHostOptions,
} from "../../../kubelet/host/stats/open-stats-host.ts";
import { systemLogs } from "../../../kubelet/host/system-logs.ts";
import type { Kubelet } from "../../../kubelet/kubelet.ts";
import { type CgroupNaming, qosCgroupPath } from "../../../kubelet/pod/linux/pod-cgroup.ts";
import { openCgroups } from "../../../platform/cgroups/host-cgroups.ts";
import type { KeyPair } from "../../../platform/pki/pki.ts";
import { addProcessMetrics } from "../../../platform/process-metrics.ts";
import { serveSpdy } from "../../../platform/spdy/serve-spdy.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import { addFeatureMetrics } from "../../serving/feature-metrics.ts";
import { versionInfo } from "../../version.ts";
import type { NodeTracer } from "../node-tracer.ts";
import { kubeletPages } from "./kubelet-pages.ts";
import { kubeletServing } from "./kubelet-serving.ts";
import { type KubeletServers, openKubeletServers } from "./open-kubelet-servers.ts";

export interface NodeApiOptions {
  readonly nodeName: string;
  /** The kubelet, once it runs. */
  readonly kubelet: () => Kubelet | undefined;
  /** The kubelet's certificate if it is not in files, at this moment. */
  readonly pair: () => KeyPair;
  /** CA certificates of clients beside those in a file, PEM. */
  readonly clientCa?: string | undefined;
  /** Calls the API server, which reviews tokens and rights. */
  readonly client: Client;
  /** Whether there is no API server. */
  readonly isStandalone?: boolean | undefined;
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  readonly images: ImageService;
  /** What the volumes of a pod take. */
  readonly volumeUsage: StatsHostOptions["volumeUsage"];
  readonly metrics: MetricsRegistry;
  readonly probeMetrics: MetricsRegistry;
  readonly configuration: KubeletConfiguration;
  /** Makes spans of requests. */
  readonly tracer?: Pick<NodeTracer, "requests"> | undefined;
  /** The cgroup of the container runtime; empty if it is unknown. */
  readonly runtimeCgroup?: string | undefined;
  /** The features that are on. */
  readonly features?: ReadonlySet<string> | undefined;
  /** Sets the verbosity of the log; it stays if this is not given. */
  readonly setVerbosity?: ((verbosity: number) => void) | undefined;
  /** The values of its flags, for `/flagz`. */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Serves the API of a node's kubelet. */
export async function openNodeApi(options: NodeApiOptions): Promise<KubeletServers> {
  const { nodeName, kubelet, configuration, metrics, clock, log, rootDir } = options;
  addProcessMetrics(metrics);
  addFeatureMetrics(metrics);
  addBuildMetrics(metrics, versionInfo);
  metrics.gauge(nodeNameGauge).of(nodeName).set(1);
  const pages = kubeletPages({ ...options, version: versionInfo });
  const { cgroupsPerQOS, cgroupDriver, cgroupRoot = "", podLogsDir } = configuration;
  const naming = {
    driver: cgroupDriver,
    root: [...partsOf(cgroupRoot), "kubepods"],
  } as CgroupNaming;
  const statsHost = openStatsHost({
    ...options,
    podLogsDir,
    cgroups: await openCgroups(),
    nodeCgroup: cgroupRoot || "/",
    podsCgroup: cgroupsPerQOS ? qosCgroupPath("Guaranteed", naming) : undefined,
    processCgroups: {
      kubelet: configuration.kubeletCgroups ?? "",
      runtime: options.runtimeCgroup ?? "",
      misc: configuration.systemCgroups ?? "",
    },
    volumePeriodMs: Number(parseDuration(configuration.volumeStatsAggPeriod)) / 1e6,
  });
  return openKubeletServers({
    ...options,
    serving: kubeletServing(configuration, options.isStandalone),
    api: (settings) =>
      kubeletApi({
        ...{ kubeletFor: kubelet, clock, log, serveStreams: serveSpdy, settings, pages, statsHost },
        systemLogs: configuration.enableSystemLogQuery ? serviceLogs() : systemLogs(),
        splitsLogStreams: options.features?.has("PodLogsQuerySplitStreams"),
        checkpointsDir: join(rootDir, "checkpoints"),
      }),
  });
}

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

const nodeNameGauge = {
  name: "kubelet_node_name",
  help: "The node's name. The count is always 1.",
  stability: "ALPHA",
  labels: ["node"],
} as const;
