import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { PublishContext } from "./attachment.ts";
import { DriverError } from "./csi-driver-client.ts";
import { type CsiParts, readDriverSecret } from "./csi-parts.ts";
import { csiError, saying } from "./csi-text.ts";
import type { CsiVolume } from "./csi-volume.ts";
import { removeMountFolder } from "./mount-folder.ts";
import type { PodRecord } from "./pod-record.ts";
import { capabilityOf } from "./volume-capability.ts";
import { removeVolumeData, sharedData, writeVolumeData } from "./volume-data.ts";
import { staged } from "./volumes-in-use.ts";
import { nodeMethods } from "./wire/node-methods.ts";

export interface StageRequest {
  readonly context: PublishContext;
  readonly fsGroup?: number | undefined;
  readonly record: PodRecord;
}

/**
 * Has a driver make a volume available to the node, before pods can use it; resolves with the folder for that.
 * Undefined if the driver does not do that. It is done once for all pods, and again after a restart.
 */
export async function stageVolume(
  volume: CsiVolume,
  { context, fsGroup, record }: StageRequest,
  parts: CsiParts,
): Promise<string | undefined> {
  const { folders } = parts;
  const texts = volume.isBlock ? deviceTexts : mountTexts;
  const client = await saying(texts.client, () => parts.drivers.client(volume.driver));
  const capabilities = await texts.capabilities(() => client.capabilities());
  if (!capabilities.has("STAGE_UNSTAGE_VOLUME")) return undefined;
  const path = volume.isBlock ? folders.deviceStaging(volume.name) : folders.staging(volume);
  if (parts.staged.has(path)) return path;
  const secrets = await readDriverSecret(parts, volume.stageSecret, texts.secret);
  await record.write();
  const isNew = !volume.isBlock && (await writeVolumeData(dirname(path), sharedData(volume)));
  await mkdir(path, { recursive: true, mode: 0o750 });
  parts.inUse.hold(volume, staged);
  try {
    await client.call(nodeMethods.stageVolume, {
      ...{ volume_id: volume.handle, publish_context: context, staging_target_path: path },
      volume_capability: capabilityOf(volume, { capabilities, fsGroup }),
      ...{ secrets, volume_context: volume.attributes },
    });
  } catch (error) {
    if (error instanceof DriverError && error.isFinal) {
      if (isNew) await removeStaged(volume, path, parts);
      await record.undo();
    }
    throw error;
  }
  parts.staged.add(path);
  return path;
}

/** Removes the record of a volume that is not staged any more. */
export async function removeStaged(
  volume: Pick<CsiVolume, "driver" | "handle">,
  path: string,
  { inUse }: CsiParts,
): Promise<void> {
  await removeMountFolder(path);
  await removeVolumeData(dirname(path));
  inUse.release(volume, staged);
}

const mountTexts = {
  client: "attacher.MountDevice failed to create newCsiDriverClient",
  capabilities: <T>(read: () => Promise<T>): Promise<T> => read(),
  secret: (place: string, why: string): Error =>
    new Error(`fetching NodeStageSecretRef ${place} failed: ${why}`),
};

const deviceTexts: typeof mountTexts = {
  client: "blockMapper.SetUpDevice failed to get CSI client",
  capabilities: (read) =>
    saying("blockMapper.stageVolumeForBlock failed to check STAGE_UNSTAGE_VOLUME capability", read),
  secret: (place, why) => csiError(`failed to get NodeStageSecretRef ${place}: ${why}`),
};
