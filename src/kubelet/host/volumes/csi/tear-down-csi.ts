import { rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { csiKeyText } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { unmountBelow } from "../mounts.ts";
import type { VolumeFolder } from "../volume-plugin.ts";
import type { CsiParts } from "./csi-parts.ts";
import { saying } from "./csi-text.ts";
import { removeMountFolder } from "./mount-folder.ts";
import { readVolumeData, removeVolumeData, type VolumeData } from "./volume-data.ts";
import { nodeMethods } from "./wire/node-methods.ts";

/**
 * Has a driver end a pod's use of a volume, and removes its record; resolves with the volume, which may be staged.
 * Undefined if the driver was never called for it.
 */
export async function tearDownCsi(
  { podUid, name, path, mode }: VolumeFolder,
  parts: CsiParts,
): Promise<VolumeData | undefined> {
  const isBlock = mode === "Block";
  const { folders, inTurn, inUse } = parts;
  const place = isBlock ? folders.deviceData(name) : path;
  const what = isBlock ? "unmapper" : "unmounter";
  const data = await saying(`${what} failed to load volume data file [${place}]`, () =>
    readVolumeData(place),
  );
  if (!data) {
    if (!isBlock) await removeVolumeData(path);
    return undefined;
  }
  await inTurn(csiKeyText(data), () =>
    isBlock
      ? unpublishDevice(data, join(folders.devicePublished(name), podUid), path, parts)
      : unpublishVolume(data, path, parts),
  );
  inUse.release(data, podUid);
  return data;
}

async function unpublishVolume(
  { driver, handle }: VolumeData,
  folder: string,
  { drivers }: CsiParts,
): Promise<void> {
  const target = join(folder, "mount");
  const client = await saying("Unmounter.TearDownAt failed to get CSI client", () =>
    drivers.client(driver),
  );
  await saying("Unmounter.TearDownAt failed", () =>
    client.call(nodeMethods.unpublishVolume, { volume_id: handle, target_path: target }),
  );
  await saying(`Unmounter.TearDownAt failed to clean mount dir [${target}]`, async () => {
    await unmountBelow(target);
    await removeMountFolder(target);
  });
  await removeVolumeData(folder);
}

async function unpublishDevice(
  { driver, handle }: VolumeData,
  target: string,
  link: string,
  { drivers }: CsiParts,
): Promise<void> {
  const client = await saying("blockMapper.UnmapPodDevice failed to get CSI client", () =>
    drivers.client(driver),
  );
  await saying("blockMapper.unpublishVolumeForBlock failed", () =>
    client.call(nodeMethods.unpublishVolume, { volume_id: handle, target_path: target }),
  );
  await unmountBelow(target);
  await rm(target, { force: true });
  await unlink(link);
}
