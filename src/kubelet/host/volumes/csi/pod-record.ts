import { mkdir, symlink, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isThere } from "../is-there.ts";
import type { CsiParts } from "./csi-parts.ts";
import type { CsiVolume } from "./csi-volume.ts";
import { removeMountFolder } from "./mount-folder.ts";
import { nodeData, removeVolumeData, writeVolumeData } from "./volume-data.ts";

/**
 * The record that a pod uses a volume. It is written before the driver is called for the pod, and removed after the
 * last call: whatever a kill has left is found by it.
 */
export interface PodRecord {
  /** Where the driver publishes the volume. */
  readonly target: string;
  write(): Promise<void>;
  /** Removes it if it was new: nothing is left of the driver's work. */
  undo(): Promise<void>;
}

/** The record of a volume that is mounted: a file beside the mount in the folder of the pod. */
export function mountRecord(folder: string, volume: CsiVolume, { nodeName }: CsiParts): PodRecord {
  const target = join(folder, "mount");
  let isNew = false;
  return {
    target,
    async write() {
      const mode = { volumeLifecycleMode: volume.lifecycle };
      if (await writeVolumeData(folder, { ...nodeData(volume, nodeName), ...mode })) isNew = true;
    },
    async undo() {
      if (!isNew) return;
      await removeMountFolder(target);
      await removeVolumeData(folder);
    },
  };
}

/** The record of a block device: a link to it in the folder of the pod, and a file that all pods share. */
export function deviceRecord(
  link: string,
  volume: CsiVolume,
  { folders, nodeName }: CsiParts,
  podUid: string,
): PodRecord {
  const target = join(folders.devicePublished(volume.name), podUid);
  let isNew = false;
  return {
    target,
    async write() {
      await writeVolumeData(folders.deviceData(volume.name), nodeData(volume, nodeName));
      if (await isThere(link)) return;
      isNew = true;
      await mkdir(dirname(link), { recursive: true, mode: 0o750 });
      await symlink(target, link);
    },
    async undo() {
      if (isNew) await unlink(link);
    },
  };
}
