import { mkdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import {
  attachmentName,
  type CsiVolumeKey,
} from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import { replacePrivateFile, syncFile } from "../../../../platform/files.ts";
import { csiError } from "./csi-text.ts";
import type { CsiVolume } from "./csi-volume.ts";

/** What is recorded of a volume beside its mount: enough to remove it after a restart. */
export interface VolumeData extends CsiVolumeKey {
  readonly isEphemeral: boolean;
}

const fileName = "vol_data.json";

/** What is recorded in a folder; undefined if nothing is. */
export async function readVolumeData(folder: string): Promise<VolumeData | undefined> {
  const path = join(folder, fileName);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw csiError(`failed to open volume data file [${path}]: ${errorMessage(error)}`);
  });
  if (text === undefined) return undefined;
  try {
    const data = JSON.parse(text) as Readonly<Record<string, string | undefined>>;
    const { driverName = "", volumeHandle = "", volumeLifecycleMode } = data;
    const isEphemeral = volumeLifecycleMode === "Ephemeral";
    return { driver: driverName, handle: volumeHandle, isEphemeral };
  } catch (error) {
    throw csiError(`failed to parse volume data file [${path}]: ${errorMessage(error)}`);
  }
}

/** Records a volume in a folder; resolves with whether it was not recorded before. */
export async function writeVolumeData(
  folder: string,
  data: Readonly<Record<string, string>>,
): Promise<boolean> {
  const path = join(folder, fileName);
  const sorted = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `${JSON.stringify(Object.fromEntries(sorted))}\n`;
  const before = await readFile(path, "utf8").catch(() => undefined);
  if (before === text) return false;
  await mkdir(folder, { recursive: true, mode: 0o750 });
  await replacePrivateFile(path, text);
  await syncFile(path);
  return before === undefined;
}

/** Removes what is recorded in a folder, and the folder, which must be empty then. */
export async function removeVolumeData(folder: string): Promise<void> {
  const path = join(folder, fileName);
  await rm(`${path}.new`, { force: true });
  await rm(path, { force: true });
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** What is recorded for all pods that use a volume. */
export const sharedData = ({ driver, handle }: CsiVolumeKey) => ({
  driverName: driver,
  volumeHandle: handle,
});

/** What is recorded for a volume on a node. */
export const nodeData = (
  volume: Pick<CsiVolume, "name" | keyof CsiVolumeKey>,
  nodeName: string,
) => ({
  ...sharedData(volume),
  specVolID: volume.name,
  nodeName,
  attachmentID: attachmentName(volume, nodeName),
});
