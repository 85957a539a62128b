import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CsiVolumeKey } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { unmountBelow } from "../mounts.ts";
import type { CsiParts } from "./csi-parts.ts";
import { saying } from "./csi-text.ts";
import type { StagedVolume } from "./found-volumes.ts";
import { removeStaged } from "./stage-volume.ts";
import { removeVolumeData } from "./volume-data.ts";
import { staged } from "./volumes-in-use.ts";
import { nodeMethods } from "./wire/node-methods.ts";

/** Has a driver take back a volume that no pod uses, and removes its record. */
export async function unstageVolume(
  { key, folder, device }: StagedVolume & { readonly key: CsiVolumeKey },
  parts: CsiParts,
): Promise<void> {
  if (device !== undefined) return unstageDevice(key, device, parts);
  const path = join(folder, "globalmount");
  const client = await saying("attacher.UnmountDevice failed to create newCsiDriverClient", () =>
    parts.drivers.client(key.driver),
  );
  const capabilities = await saying(
    "attacher.UnmountDevice failed to check whether STAGE_UNSTAGE_VOLUME set",
    () => client.capabilities(),
  );
  parts.staged.delete(path);
  if (capabilities.has("STAGE_UNSTAGE_VOLUME"))
    await saying("attacher.UnmountDevice failed", () =>
      client.call(nodeMethods.unstageVolume, { volume_id: key.handle, staging_target_path: path }),
    );
  await saying(`failed to clean up global mount ${folder}`, async () => {
    await unmountBelow(path);
    await removeStaged(key, path, parts);
  });
}

async function unstageDevice(key: CsiVolumeKey, name: string, parts: CsiParts): Promise<void> {
  const { folders, inUse } = parts;
  const path = folders.deviceStaging(name);
  const client = await saying("blockMapper.TearDownDevice failed to get CSI client", () =>
    parts.drivers.client(key.driver),
  );
  const capabilities = await saying(
    "blockMapper.unstageVolumeForBlock failed to check STAGE_UNSTAGE_VOLUME capability",
    () => client.capabilities(),
  );
  parts.staged.delete(path);
  if (capabilities.has("STAGE_UNSTAGE_VOLUME"))
    await saying("blockMapper.unstageVolumeForBlock failed", () =>
      client.call(nodeMethods.unstageVolume, { volume_id: key.handle, staging_target_path: path }),
    );
  await unmountBelow(path);
  await rm(path, { recursive: true, force: true });
  await removeIfThere(folders.devicePublished(name));
  await removeVolumeData(folders.deviceData(name));
  await removeIfThere(dirname(folders.deviceData(name)));
  inUse.release(key, staged);
}

const removeIfThere = (folder: string): Promise<void> =>
  rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });

/** Removes what is left of a volume that was never staged, or is not any more. */
export async function removeLeftover({ folder, device }: StagedVolume): Promise<void> {
  if (device === undefined) await removeIfThere(join(folder, "globalmount"));
  await removeVolumeData(folder);
  if (device !== undefined) await removeIfThere(dirname(folder));
}
