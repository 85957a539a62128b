import type { Node } from "../../../../api/core/v1/node/node.ts";
import { attachmentName, csiUniqueName } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { VolumeAttachment } from "../../../../api/storage/v1/volume-attachment.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import type { Client } from "../../../../client/client.ts";
import { VolumeNotReady } from "../volume-plugin.ts";
import type { CsiVolume } from "./csi-volume.ts";

/** What an attacher tells those who mount a volume. */
export type PublishContext = Readonly<Record<string, string>>;

export interface AttachmentOptions {
  readonly nodeName: string;
  readonly node: () => Node | undefined;
  readonly client: Client;
}

/**
 * What the attacher of a volume says, once the volume is attached. Rejects with `VolumeNotReady` while the status of
 * the node does not say that the volume is in use, which keeps it attached, and that it is attached: the controller
 * takes it from that list before it reads what is in use, so that no volume is detached while it is mounted.
 */
export async function readAttachment(
  volume: CsiVolume,
  { nodeName, node, client }: AttachmentOptions,
): Promise<PublishContext> {
  const unique = csiUniqueName(volume);
  const { volumesInUse, volumesAttached } = node()?.status ?? {};
  if (!volumesInUse?.includes(unique))
    throw new VolumeNotReady(
      `Volume has not been added to the list of VolumesInUse in the node's volume status for volume "${volume.name}"`,
    );
  // The controller that attaches it has events of its own.
  if (!volumesAttached?.some((attached) => attached.name === unique))
    throw new VolumeNotReady(
      `Volume not attached according to node status for volume "${volume.name}"`,
    );
  const name = attachmentName(volume, nodeName);
  const attachment = await client.get(VolumeAttachment, { name }).catch((error: unknown) => {
    throw new Error(
      `volume ${volume.handle} has GET error for volume attachment ${name}: ${errorMessage(error)}`,
    );
  });
  checkAttached(attachment, volume.handle);
  return attachment.status?.attachmentMetadata ?? {};
}

/** Throws unless a volume is attached. */
export function checkAttached({ metadata, status }: VolumeAttachment, handle: string): void {
  if (metadata.deletionTimestamp) throw new Error("volume attachment is being deleted");
  if (status?.attached) return;
  if (status?.attachError) throw new Error(status.attachError.message ?? "");
  throw new Error(`volume ${handle} is not attached for volume attachment ${metadata.name}`);
}
