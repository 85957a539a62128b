import type { ContainerStats } from "../runtime-types.ts";
import type { SimulatedContainer } from "./simulated-container.ts";

/** The usage of a container, from its pod's annotations or as a part of its requests. */
export function simulatedStats(container: SimulatedContainer, now: number): ContainerStats {
  const { id, config, behaviour, resources, state, startedAt, finishedAt } = container;
  const isRunning = state === "running";
  const { cpuRequestMillis = 10, memoryRequestBytes = 32 * 2 ** 20 } = resources;
  const cores = behaviour.cpu ?? (cpuRequestMillis / 1000) * usualCpu;
  const bytes = Math.round(behaviour.memory ?? memoryRequestBytes * usualMemory);
  const ranFor = startedAt === 0 ? 0 : (isRunning ? now : finishedAt) - startedAt;
  const memory = isRunning ? bytes : 0;
  return {
    id,
    name: config.metadata.name,
    at: now,
    cpuNanoCores: isRunning ? Math.round(cores * 1e9) : 0,
    cpuCoreNanoSeconds: BigInt(Math.round(cores * ranFor * 1e6)),
    memoryWorkingSetBytes: memory,
    memoryUsageBytes: memory,
    memoryRssBytes: Math.round(memory * 0.9),
    filesystemUsedBytes: 4096,
  };
}

const usualCpu = 0.1;
const usualMemory = 0.5;
