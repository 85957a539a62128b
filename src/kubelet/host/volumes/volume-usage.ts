import { statfs } from "node:fs/promises";
import { diskUsage } from "../../../platform/disk-usage.ts";
import type { PodMounts } from "./container-mounts.ts";

/** What a volume takes, and what its file system has. */
export interface VolumeUsage {
  /** The claim of a persistent volume. */
  readonly claim?: { readonly namespace: string; readonly name: string } | undefined;
  readonly usedBytes: number;
  readonly inodesUsed: number;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

/**
 * What the volumes of a pod take, by their names. Files of a pod's own volumes are counted; of persistent ones the
 * file system as a whole counts. Paths of the node and images belong to no pod.
 */
export async function volumeUsage(volumes: PodMounts): Promise<ReadonlyMap<string, VolumeUsage>> {
  const found = new Map<string, VolumeUsage>();
  for (const [name, { path, image, volume, plugin }] of volumes) {
    if (image !== undefined || volume.mode === "Block" || plugin.isOfNode) continue;
    const disk = await statfs(path);
    const counted = plugin.ownsFiles ? await diskUsage(path) : undefined;
    const { claimRef } = volume.persistentVolume?.spec ?? {};
    const claim = claimRef && { namespace: claimRef.namespace ?? "", name: claimRef.name ?? "" };
    found.set(name, {
      claim,
      usedBytes: counted?.bytes ?? (disk.blocks - disk.bfree) * disk.bsize,
      inodesUsed: counted?.inodes ?? disk.files - disk.ffree,
      capacityBytes: disk.blocks * disk.bsize,
      availableBytes: disk.bavail * disk.bsize,
      inodes: disk.files,
      inodesFree: disk.ffree,
    });
  }
  return found;
}
