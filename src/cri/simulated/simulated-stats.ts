import type { ContainerStats, PodSandboxStats } from "../stats-types.ts";
import type { SimulatedContainer, SimulatedSandbox } from "./simulated-container.ts";
import { amountAt, type CurveTime, totalSince, type UsageCurve } from "./usage-curve.ts";

/** When usage is asked for, and how many pods share what annotations say is shared. */
export interface StatsTime {
  readonly now: number;
  readonly sharers: number;
}

/** The usage of a container, from its pod's annotations or as a part of its requests. */
export function simulatedStats(container: SimulatedContainer, time: StatsTime): ContainerStats {
  const { now } = time;
  const { id, config, behaviour, resources, state, startedAt, finishedAt } = container;
  const isRunning = state === "running";
  const { cpuRequestMillis = 10, memoryRequestBytes = 32 * 2 ** 20, memoryLimitBytes } = resources;
  const until = startedAt === 0 ? 0 : isRunning ? now : finishedAt;
  const span = { startedAt, now: until };
  const cpu = behaviour.cpu ?? constant((cpuRequestMillis / 1000) * usualCpu);
  const cores = shareOf(cpu, span, time);
  const bytes = behaviour.memory
    ? shareOf(behaviour.memory, span, time)
    : memoryRequestBytes * usualMemory;
  const memory = isRunning ? Math.round(bytes) : 0;
  return {
    id,
    metadata: config.metadata,
    labels: config.labels,
    annotations: config.annotations,
    at: now,
    cpuNanoCores: isRunning ? Math.round(cores * 1e9) : 0,
    cpuCoreNanoSeconds: BigInt(Math.round(coreMs(container, cpu, { ...span, cores }) * 1e6)),
    memoryWorkingSetBytes: memory,
    memoryUsageBytes: memory,
    memoryRssBytes: Math.round(memory * 0.9),
    ...(memoryLimitBytes && { memoryAvailableBytes: Math.max(0, memoryLimitBytes - memory) }),
    writableLayer: { at: now, mountpoint: simulatedMountpoint, usedBytes: 4096, inodesUsed: 1 },
  };
}

/** The usage of a pod: that of its running containers; its network is idle. */
export function simulatedPodStats(sandbox: SimulatedSandbox, time: StatsTime): PodSandboxStats {
  const { now } = time;
  const { id, config, ip } = sandbox;
  const { metadata, labels, annotations } = config;
  const containers = [...sandbox.containers]
    .filter(({ state }) => state === "running")
    .map((container) => simulatedStats(container, time));
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

const constant = (amount: number): UsageCurve => ({
  points: [[0, amount]],
  repeats: false,
  isShared: false,
});

const shareOf = (curve: UsageCurve, span: CurveTime, { sharers }: StatsTime): number =>
  amountAt(curve, span) / (curve.isShared ? Math.max(1, sharers) : 1);

/**
 * The CPU time since the start, in cores × milliseconds. How many pods shared an amount before is not known: each time
 * that somebody asks, the share of that time is added.
 */
function coreMs(
  container: SimulatedContainer,
  curve: UsageCurve,
  { cores, startedAt, now }: CurveTime & { readonly cores: number },
): number {
  if (startedAt === 0) return 0;
  if (!curve.isShared) return totalSince(curve, { startedAt, now });
  const before = container.sharedCpu ?? { at: startedAt, coreMs: 0 };
  const total = before.coreMs + cores * (now - before.at);
  container.sharedCpu = { at: now, coreMs: total };
  return total;
}

/** The file system of simulated nodes. */
export const simulatedMountpoint = "/";

const usualCpu = 0.1;
const usualMemory = 0.5;
