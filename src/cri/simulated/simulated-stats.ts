import type { ContainerStats, PodSandboxStats } from "../stats-types.ts";
import type { SimulatedContainer, SimulatedSandbox } from "./simulated-container.ts";

/** The usage of a container, from its pod's annotations or as a part of its requests. */
export function simulatedStats(container: SimulatedContainer, now: number): ContainerStats {
  const { id, config, behaviour, resources, state, startedAt, finishedAt } = container;
  const isRunning = state === "running";
  const { cpuRequestMillis = 10, memoryRequestBytes = 32 * 2 ** 20, memoryLimitBytes } = resources;
  const cores = behaviour.cpu ?? (cpuRequestMillis / 1000) * usualCpu;
  const bytes = Math.round(behaviour.memory ?? memoryRequestBytes * usualMemory);
  const ranFor = startedAt === 0 ? 0 : (isRunning ? now : finishedAt) - startedAt;
  const memory = isRunning ? bytes : 0;
  return {
    id,
    metadata: config.metadata,
    labels: config.labels,
    annotations: config.annotations,
    at: now,
    cpuNanoCores: isRunning ? Math.round(cores * 1e9) : 0,
    cpuCoreNanoSeconds: BigInt(Math.round(cores * ranFor * 1e6)),
    memoryWorkingSetBytes: memory,
    memoryUsageBytes: memory,
    memoryRssBytes: Math.round(memory * 0.9),
    ...(memoryLimitBytes && { memoryAvailableBytes: Math.max(0, memoryLimitBytes - memory) }),
    writableLayer: { at: now, mountpoint: simulatedMountpoint, usedBytes: 4096, inodesUsed: 1 },
  };
}

/** The usage of a pod: that of its running containers; its network is idle. */
export function simulatedPodStats(sandbox: SimulatedSandbox, now: number): PodSandboxStats {
  const { id, config, ip } = sandbox;
  const { metadata, labels, annotations } = config;
  const containers = [...sandbox.containers]
    .filter(({ state }) => state === "running")
    .map((container) => simulatedStats(container, now));
  const sum = (of: (stats: ContainerStats) => number): number =>
    containers.reduce((total, stats) => total + of(stats), 0);
  return {
    id,
    metadata,
    labels,
    annotations,
    at: now,
    cpuNanoCores: sum((stats) => stats.cpuNanoCores),
    cpuCoreNanoSeconds: containers.reduce((total, one) => total + one.cpuCoreNanoSeconds, 0n),
    memoryWorkingSetBytes: sum((stats) => stats.memoryWorkingSetBytes),
    memoryUsageBytes: sum((stats) => stats.memoryUsageBytes),
    memoryRssBytes: sum((stats) => stats.memoryRssBytes),
    network:
      ip === undefined ? [] : [{ name: "eth0", rxBytes: 0, rxErrors: 0, txBytes: 0, txErrors: 0 }],
    processCount: containers.length,
    containers,
  };
}

/** The file system of simulated nodes. */
export const simulatedMountpoint = "/";

const usualCpu = 0.1;
const usualMemory = 0.5;
