import { join } from "node:path";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { type Clock, ticksOf } from "../../../base/clock.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import type { ContainerStats } from "../../../cri/stats-types.ts";
import type { NodeObserver } from "../../eviction/eviction-manager.ts";
import type { ContainerUsage, PodUsage, VolumeUsage } from "../../eviction/pod-usage.ts";
import { fileUsage, folderUsage } from "../machine/file-usage.ts";

export interface PodMeasureOptions {
  readonly runtime: Pick<
    RuntimeService,
    "listContainers" | "listContainerStats" | "podSandboxStats"
  >;
  readonly clock: Clock;
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  /** The folder of the logs of all pods. */
  readonly podLogsDir: string;
  /** What the volumes of a pod take, by their names; by default they are not counted. */
  readonly volumeUsage?: VolumeUsages | undefined;
}

export type VolumeUsages = (
  podUid: string,
) => Promise<ReadonlyMap<string, { readonly usedBytes: number; readonly inodesUsed: number }>>;

/**
 * Measures what pods use. Counting files takes time: a pod is measured again only after twenty times as long as it
 * took.
 */
export function measurePod(options: PodMeasureOptions): NodeObserver["measure"] {
  const { runtime } = options;
  const ticks = ticksOf(options.clock);
  const measured = new Map<string, Measured>();

  return async (pod, need) => {
    const { uid = "" } = pod.metadata;
    const now = ticks();
    for (const [other, { until }] of measured) if (until <= now) measured.delete(other);
    const known = measured.get(uid);
    if (need === "disk" && known) return known.usage;
    const [running] = await runtime.listContainers({ podUid: uid, state: "running" });
    if (!running) return undefined;
    const { sandboxId } = running;
    const stats = await runtime.listContainerStats({ sandboxId });
    const usage: PodUsage = {
      memoryBytes: stats.reduce((sum, one) => sum + one.memoryWorkingSetBytes, 0),
      processes:
        need === "pids" ? ((await runtime.podSandboxStats(sandboxId)).processCount ?? 0) : 0,
      ...(need === "disk" ? await measureDisk(pod, stats, options) : withoutDisk(stats)),
    };
    if (need === "disk") measured.set(uid, { usage, until: now + (ticks() - now) * pauseFactor });
    return usage;
  };
}

interface Measured {
  readonly usage: PodUsage;
  readonly until: number;
}

const pauseFactor = 20;

type Parts = Pick<PodUsage, "containers" | "volumes" | "otherBytes">;

const withoutDisk = (stats: readonly ContainerStats[]): Parts => ({
  containers: stats.map(({ metadata: { name }, memoryWorkingSetBytes: memoryBytes }) => ({
    name,
    memoryBytes,
  })),
  volumes: [],
});

async function measureDisk(
  { metadata: { namespace, name, uid = "" } }: Pod,
  stats: readonly ContainerStats[],
  { rootDir, podLogsDir, volumeUsage }: PodMeasureOptions,
): Promise<Parts> {
  const logs = join(podLogsDir, `${namespace}_${name}_${uid}`);
  const containers = await Promise.all(
    stats.map(async (one): Promise<ContainerUsage> => {
      const { metadata, memoryWorkingSetBytes: memoryBytes, writableLayer } = one;
      return {
        name: metadata.name,
        memoryBytes,
        root: writableLayer && {
          bytes: writableLayer.usedBytes,
          inodes: writableLayer.inodesUsed,
        },
        logs: await folderUsage(join(logs, metadata.name)),
      };
    }),
  );
  const volumes = [...((await volumeUsage?.(uid)) ?? [])].map(
    ([volume, { usedBytes, inodesUsed }]): VolumeUsage => ({
      name: volume,
      bytes: usedBytes,
      inodes: inodesUsed,
    }),
  );
  const hosts = await fileUsage(join(rootDir, "pods", uid, "etc-hosts"));
  return { containers, volumes, otherBytes: hosts.bytes };
}
