import type { Clock } from "../../base/clock.ts";
import type { ContainerStats, PodSandboxStats } from "../../cri/stats-types.ts";
import type { Container } from "../containers/containers.ts";
import type { EngineParts } from "../engine-parts.ts";
import type { Sandbox } from "../sandboxes/engine-sandboxes.ts";
import { criDetails } from "./container-details.ts";

interface StatsParts extends EngineParts {
  readonly clock: Clock;
}

/** The resource usage of a container. */
export async function containerStats(
  container: Container,
  { cgroups, snapshots, clock }: StatsParts,
): Promise<ContainerStats> {
  const { id, settings } = container;
  const {
    metadata = { name: "", attempt: 0 },
    labels = {},
    annotations = {},
  } = criDetails(container)?.config ?? {};
  const at = clock.now();
  const [usage, { bytes, inodes }, mountpoint] = await Promise.all([
    cgroups.usage(settings.cgroupsPath),
    snapshots.usage(id),
    snapshots.mount(id),
  ]);
  return {
    ...{ id, metadata, labels, annotations, at },
    cpuNanoCores: 0,
    cpuCoreNanoSeconds: usage.cpuNanoSeconds,
    memoryWorkingSetBytes: usage.workingSetBytes,
    memoryUsageBytes: usage.memoryBytes,
    memoryRssBytes: usage.rssBytes,
    writableLayer: { at, mountpoint, usedBytes: bytes, inodesUsed: inodes },
  };
}

/** The resource usage of a pod: the sum of its containers'. */
export function podStats(
  { id, config }: Sandbox,
  containers: readonly ContainerStats[],
  { clock }: StatsParts,
): PodSandboxStats {
  const { metadata, labels, annotations } = config;
  const sum = (of: (one: ContainerStats) => number): number =>
    containers.reduce((total, one) => total + of(one), 0);
  return {
    ...{ id, metadata, labels, annotations, containers, at: clock.now(), network: [] },
    cpuNanoCores: sum((one) => one.cpuNanoCores),
    cpuCoreNanoSeconds: containers.reduce((total, one) => total + one.cpuCoreNanoSeconds, 0n),
    memoryWorkingSetBytes: sum((one) => one.memoryWorkingSetBytes),
    memoryUsageBytes: sum((one) => one.memoryUsageBytes),
    memoryRssBytes: sum((one) => one.memoryRssBytes),
  };
}
