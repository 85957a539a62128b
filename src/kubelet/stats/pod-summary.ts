import { isEphemeralVolume } from "../eviction/pod-usage.ts";
import { timeText } from "../pod/container/container-statuses.ts";
import { podUsage } from "./node-usage.ts";
import type { PodStats, StatsOfContainer } from "./read-pod-stats.ts";
import type { DiskSpace, FileUsage, PodFiles, PodVolumeUsage } from "./stats-host.ts";
import { fsStats, networkStats, resourceStats } from "./summary-parts.ts";

/** The usage of a pod; what concerns disks only where the disk of the node is known. */
export function podSummary(pod: PodStats, node: DiskSpace | undefined, now: number): object {
  const { usage, files, createdAt } = pod;
  const { name, namespace, uid } = usage.metadata;
  const withIo = files !== undefined;
  return {
    podRef: { name, namespace, uid },
    startTime: timeText(createdAt),
    containers: pod.containers.map((one) => ({
      name: one.stats.metadata.name,
      startTime: timeText(one.createdAt),
      ...resourceStats(one.stats, { withIo }),
      ...(files && containerDisks(one, files, { node, now })),
    })),
    ...resourceStats(podUsage(pod), { withIo }),
    ...(files && {
      ...(usage.network.length > 0 && { network: networkStats(usage.network, usage.at) }),
      ...(files.volumes.size > 0 && { volume: [...files.volumes].map(volumeStats) }),
      "ephemeral-storage": fsStats(node, ephemeralUsage(pod, files), now),
      ...(usage.processCount !== undefined && {
        process_stats: { process_count: usage.processCount },
      }),
    }),
  };
}

function containerDisks(
  { stats, space }: StatsOfContainer,
  files: PodFiles,
  { node, now }: { readonly node: DiskSpace | undefined; readonly now: number },
): object {
  const { writableLayer: layer } = stats;
  const written = layer && { bytes: layer.usedBytes, inodes: layer.inodesUsed };
  return {
    rootfs: fsStats(space, written, layer?.at ?? now),
    logs: fsStats(node, files.logs.get(stats.metadata.name), now),
  };
}

const volumeStats = ([name, usage]: readonly [string, PodVolumeUsage]): object => {
  const { at, claim, availableBytes, capacityBytes, usedBytes } = usage;
  const { inodesFree, inodes, inodesUsed } = usage;
  return {
    time: timeText(at),
    ...{ availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed },
    name,
    ...(claim && { pvcRef: { name: claim.name, namespace: claim.namespace } }),
  };
};

/** What a pod takes of its node's disk: volumes that outlive it do not count. */
function ephemeralUsage(
  { containers, pod }: PodStats,
  { logs, others, volumes }: PodFiles,
): FileUsage {
  const all: FileUsage[] = [others];
  for (const { stats } of containers) {
    const { writableLayer: layer, metadata } = stats;
    if (layer) all.push({ bytes: layer.usedBytes, inodes: layer.inodesUsed });
    const log = logs.get(metadata.name);
    if (log) all.push(log);
  }
  for (const [name, { usedBytes, inodesUsed }] of volumes)
    if (pod && isEphemeralVolume(pod, name)) all.push({ bytes: usedBytes, inodes: inodesUsed });
  return {
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    inodes: all.reduce((sum, { inodes }) => sum + inodes, 0),
  };
}
