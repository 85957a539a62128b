import { statfs } from "node:fs/promises";
import { diskUsage } from "../../../platform/disk-usage.ts";
import type { PodMount, PodMounts } from "./container-mounts.ts";
import type { VolumeSpace } from "./volume-plugin.ts";

/** What a volume takes, and what its file system has. */
export interface VolumeUsage extends VolumeSpace {
  /** The claim of a persistent volume. */
  readonly claim?: { readonly namespace: string; readonly name: string } | undefined;
}

/**
 * What the volumes of a pod take, by their names. Files of a pod's own volumes are counted; of persistent ones the
 * file system as a whole counts. Paths of the node and images belong to no pod.
 */
export async function volumeUsage(
  podUid: string,
  volumes: PodMounts,
): Promise<ReadonlyMap<string, VolumeUsage>> {
  const found = new Map<string, VolumeUsage>();
  for (const [name, mounted] of volumes) {
    const space = await spaceOf(podUid, mounted);
    if (!space) continue;
    const { claimRef } = mounted.volume.persistentVolume?.spec ?? {};
    const claim = claimRef && { namespace: claimRef.namespace ?? "", name: claimRef.name ?? "" };
    found.set(name, { claim, ...space });
  }
  return found;
}

async function spaceOf(podUid: string, mounted: PodMount): Promise<VolumeSpace | undefined> {
  const { path, image, volume, plugin } = mounted;
  if (plugin.usage) return plugin.usage({ volume, podUid, path });
  if (image !== undefined || volume.mode === "Block" || plugin.isOfNode) return undefined;
  const disk = await statfs(path);
  const counted = plugin.ownsFiles ? await diskUsage(path) : undefined;
  return {
    usedBytes: counted?.bytes ?? (disk.blocks - disk.bfree) * disk.bsize,
    inodesUsed: counted?.inodes ?? disk.files - disk.ffree,
    capacityBytes: disk.blocks * disk.bsize,
    availableBytes: disk.bavail * disk.bsize,
    inodes: disk.files,
    inodesFree: disk.ffree,
  };
}
