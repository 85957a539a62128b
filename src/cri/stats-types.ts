import type { ContainerMetadata, PodSandboxMetadata } from "./runtime-types.ts";

/** The usage of CPU and memory of a container or a pod. */
export interface ResourceUsage {
  /** In milliseconds since the epoch, as all times here. */
  readonly at: number;
  /** CPU usage in billionths of a core. */
  readonly cpuNanoCores: number;
  /** CPU time since its start, in nanoseconds. */
  readonly cpuCoreNanoSeconds: bigint;
  readonly memoryWorkingSetBytes: number;
  readonly memoryUsageBytes: number;
  readonly memoryRssBytes: number;
  /** What is left of its limit, if it has one. */
  readonly memoryAvailableBytes?: number | undefined;
  readonly pageFaults?: number | undefined;
  readonly majorPageFaults?: number | undefined;
  /** How long tasks waited for each resource, where the kernel counts it. */
  readonly pressure?: Pressures | undefined;
}

export interface Pressures {
  readonly cpu?: Pressure | undefined;
  readonly memory?: Pressure | undefined;
  readonly io?: Pressure | undefined;
}

/** `some` counts while one task waited, `full` while all did. */
export interface Pressure {
  readonly some: PressureTimes;
  readonly full: PressureTimes;
}

export interface PressureTimes {
  /** As the kernel writes it. */
  readonly total: number;
  /** The percentage of the last 10, 60 and 300 seconds. */
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

/** The resource usage of a container. */
export interface ContainerStats extends ResourceUsage {
  readonly id: string;
  readonly metadata: ContainerMetadata;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly swapUsedBytes?: number | undefined;
  readonly swapAvailableBytes?: number | undefined;
  /** What the container wrote into its root file system; absent if it is not known. */
  readonly writableLayer?: FilesystemUsage | undefined;
}

/** The usage of a file system, or of a part of it. */
export interface FilesystemUsage {
  readonly at: number;
  readonly mountpoint: string;
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

export interface ContainerStatsFilter {
  readonly id?: string | undefined;
  readonly sandboxId?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** The resource usage of a pod and of its containers. */
export interface PodSandboxStats extends ResourceUsage {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The interface of its address first; none on the node's network. */
  readonly network: readonly InterfaceUsage[];
  readonly processCount?: number | undefined;
  readonly containers: readonly ContainerStats[];
}

export interface InterfaceUsage {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxErrors: number;
  readonly txBytes: number;
  readonly txErrors: number;
}

export interface PodSandboxStatsFilter {
  readonly id?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** A metric that a runtime has for its pods and containers. */
export interface MetricDescriptor {
  readonly name: string;
  readonly help: string;
  readonly labelKeys: readonly string[];
}

export interface PodSandboxMetrics {
  readonly sandboxId: string;
  readonly metrics: readonly Metric[];
  readonly containers: readonly ContainerMetrics[];
}

export interface ContainerMetrics {
  readonly containerId: string;
  readonly metrics: readonly Metric[];
}

export interface Metric {
  readonly name: string;
  readonly at: number;
  readonly type: "counter" | "gauge";
  /** In the order of its descriptor's keys. */
  readonly labelValues: readonly string[];
  readonly value: number;
}
