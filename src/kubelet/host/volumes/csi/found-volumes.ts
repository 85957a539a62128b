import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { CsiVolumeKey } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { type CsiFolders, devicesName } from "./csi-folders.ts";
import { readVolumeData, type VolumeData } from "./volume-data.ts";

/** A volume that a pod uses, as its folder shows. */
export interface PublishedVolume extends VolumeData {
  readonly podUid: string;
}

/** A volume that was or is about to be staged, as its folder shows. */
export interface StagedVolume {
  /** What is recorded; undefined if only a folder is left. */
  readonly key: CsiVolumeKey | undefined;
  /** The folder of the record. */
  readonly folder: string;
  /** The name of a volume that is a block device. */
  readonly device?: string | undefined;
}

const podFolder = "kubernetes.io~csi";

/** The volumes that pods use. */
export async function publishedVolumes(folders: CsiFolders): Promise<readonly PublishedVolume[]> {
  const found: PublishedVolume[] = [];
  for (const podUid of await namesIn(folders.pods)) {
    const pod = join(folders.pods, podUid);
    const mounted = join(pod, "volumes", podFolder);
    const places = (await namesIn(mounted)).map((name) => join(mounted, name));
    for (const device of await namesIn(join(pod, devicesName, podFolder)))
      places.push(folders.deviceData(device));
    for (const place of places) {
      const data = await readVolumeData(place);
      if (data) found.push({ ...data, podUid });
    }
  }
  return found;
}

/** The volumes that are staged, and what is left of such. */
export async function stagedVolumes(folders: CsiFolders): Promise<readonly StagedVolume[]> {
  const found: StagedVolume[] = [];
  for (const driver of await namesIn(folders.plugin)) {
    if (driver === devicesName) continue;
    for (const hash of await namesIn(join(folders.plugin, driver))) {
      const folder = join(folders.plugin, driver, hash);
      found.push({ key: await readVolumeData(folder), folder });
    }
  }
  for (const device of await namesIn(folders.devices)) {
    if (device === "staging" || device === "publish") continue;
    const folder = folders.deviceData(device);
    found.push({ key: await readVolumeData(folder), folder, device });
  }
  return found;
}

/** A folder that does not exist is empty. */
const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
