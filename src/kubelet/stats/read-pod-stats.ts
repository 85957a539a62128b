import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ContainerStats, PodSandboxStats } from "../../cri/stats-types.ts";
import type { Kubelet } from "../kubelet.ts";
import type { DiskSpace, PodFiles, StatsHost } from "./stats-host.ts";

/** What a running pod uses. */
export interface PodStats {
  readonly usage: PodSandboxStats;
  /** Absent for one that the kubelet does not know any more. */
  readonly pod?: Pod | undefined;
  /** When its sandbox was created, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly containers: readonly StatsOfContainer[];
  /** Absent if disks were not asked for. */
  readonly files?: PodFiles | undefined;
}

export interface StatsOfContainer {
  readonly stats: ContainerStats;
  readonly createdAt: number;
  /** The file system that it writes to. */
  readonly space?: DiskSpace | undefined;
}

/**
 * Reads what all pods with running containers use. The counters of each container are read once; with a host, disks
 * are measured, too.
 */
export async function readPodStats(
  { runtime, pods }: Pick<Kubelet, "runtime" | "pods">,
  host?: StatsHost | undefined,
): Promise<readonly PodStats[]> {
  const [usages, sandboxes, containers] = await Promise.all([
    runtime.listPodSandboxStats(),
    runtime.listPodSandboxes({ state: "ready" }),
    runtime.listContainers({ state: "running" }),
  ]);
  const createdAt = new Map(
    [...sandboxes, ...containers].map((one) => [one.id, one.createdAt] as const),
  );
  const spaces = new Map<string, Promise<DiskSpace | undefined>>();
  const spaceOf = ({ writableLayer }: ContainerStats): Promise<DiskSpace | undefined> => {
    if (!host || !writableLayer) return Promise.resolve(undefined);
    const { mountpoint } = writableLayer;
    const known = spaces.get(mountpoint) ?? host.space(mountpoint);
    spaces.set(mountpoint, known);
    return known;
  };
  const podOf = new Map(pods().map((pod) => [pod.metadata.uid ?? "", pod] as const));
  const running = usages.filter((one) => one.containers.length > 0);
  return Promise.all(
    running.map(async (usage): Promise<PodStats> => {
      const [files, ...spacesOfContainers] = await Promise.all([
        host?.podFiles(usage.metadata),
        ...usage.containers.map(spaceOf),
      ]);
      return {
        usage,
        pod: podOf.get(usage.metadata.uid),
        createdAt: createdAt.get(usage.id) ?? 0,
        containers: usage.containers.map((stats, i) => ({
          stats,
          createdAt: createdAt.get(stats.id) ?? 0,
          space: spacesOfContainers[i],
        })),
        files,
      };
    }),
  );
}
