import { readFile } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import { CpuRates } from "../../cri/cpu-rates.ts";
import { parseInterfaces } from "../../cri/parse-interfaces.ts";
import { type CountedResources, resourceUsage } from "../../cri/resource-usage.ts";
import type {
  ContainerStats,
  InterfaceUsage,
  PodSandboxStats,
  ResourceUsage,
} from "../../cri/stats-types.ts";
import type { CgroupStats } from "../../platform/cgroups/cgroup-stats.ts";
import type { Container } from "../containers/containers.ts";
import type { EngineParts } from "../engine-parts.ts";
import type { Sandbox } from "../sandboxes/engine-sandboxes.ts";
import { criDetails } from "./container-details.ts";

export interface EngineStatsOptions extends Pick<EngineParts, "cgroups" | "snapshots"> {
  readonly clock: Clock;
}

/** Reads the resource usage of containers; the rate of CPU time is that since an earlier look. */
export class EngineStats {
  readonly #options: EngineStatsOptions;
  readonly #rates = new CpuRates();

  constructor(options: EngineStatsOptions) {
    this.#options = options;
  }

  /** Drops what is known of a container that is gone. */
  forget(id: string): void {
    this.#rates.forget(id);
  }

  /** The resource usage of a container. */
  async ofContainer(container: Container): Promise<ContainerStats> {
    const { cgroups, snapshots, clock } = this.#options;
    const { id, settings } = container;
    const {
      metadata = noMetadata,
      labels = {},
      annotations = {},
    } = criDetails(container)?.config ?? {};
    const [stats, written] = await Promise.all([
      cgroups.stats(settings.cgroupsPath),
      snapshots.recentUsage(id),
    ]);
    const at = clock.now();
    const swap = stats?.memory.swapBytes;
    return {
      ...{ id, metadata, labels, annotations, at },
      ...this.#usage(id, stats, at),
      ...(swap !== undefined && { swapUsedBytes: swap }),
      writableLayer: {
        at,
        // Not that of the overlay: a kubelet looks for the disk behind it, and fails without one.
        mountpoint: snapshots.folder,
        usedBytes: written.bytes,
        inodesUsed: written.inodes,
      },
    };
  }

  /** The resource usage of a pod: that of its cgroup, or the sum of its containers' if it has none. */
  async ofPod(
    { id, config }: Sandbox,
    containers: readonly ContainerStats[],
    pid: number | undefined,
  ): Promise<PodSandboxStats> {
    const { cgroups, clock } = this.#options;
    const { metadata, labels, annotations, cgroupParent, hostNetwork } = config;
    const stats = cgroupParent ? await cgroups.stats(cgroupParent) : undefined;
    const at = clock.now();
    return {
      ...{ id, metadata, labels, annotations, containers, at },
      ...(stats ? this.#usage(id, stats, at) : summed(containers)),
      network: hostNetwork ? [] : await interfacesOf(pid),
      ...(stats && { processCount: stats.pids.current }),
    };
  }

  #usage(id: string, stats: CgroupStats | undefined, at: number): ResourceUsage {
    const cpuNanoCores = this.#rates.of(id, at, stats?.cpu.usageNs ?? 0n);
    return resourceUsage(stats ?? nothingCounted, { at, cpuNanoCores });
  }
}

/** A container whose cgroup is gone uses nothing. */
const nothingCounted: CountedResources = {
  cpu: { usageNs: 0n },
  memory: { usageBytes: 0, workingSetBytes: 0, rssBytes: 0, pageFaults: 0, majorPageFaults: 0 },
};

const noMetadata = { name: "", attempt: 0 };

function summed(containers: readonly ContainerStats[]) {
  const sum = (of: (one: ContainerStats) => number): number =>
    containers.reduce((total, one) => total + of(one), 0);
  return {
    cpuNanoCores: sum((one) => one.cpuNanoCores),
    cpuCoreNanoSeconds: containers.reduce((total, one) => total + one.cpuCoreNanoSeconds, 0n),
    memoryWorkingSetBytes: sum((one) => one.memoryWorkingSetBytes),
    memoryUsageBytes: sum((one) => one.memoryUsageBytes),
    memoryRssBytes: sum((one) => one.memoryRssBytes),
  };
}

/** The interfaces of the network that a process is in. */
async function interfacesOf(pid: number | undefined): Promise<readonly InterfaceUsage[]> {
  if (pid === undefined) return [];
  return parseInterfaces(await readFile(`/proc/${pid}/net/dev`, "utf8").catch(() => ""));
}
