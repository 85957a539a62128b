import type { Node } from "../../../../api/core/v1/node/node.ts";
import { VolumeAttachment } from "../../../../api/storage/v1/volume-attachment.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import type { Client } from "../../../../client/client.ts";
import { VolumeNotReady } from "../volume-plugin.ts";
import { type CsiVolume, uniqueName } from "./csi-volume.ts";
import { attachmentName } from "./volume-data.ts";

/** What an attacher tells those who mount a volume. */
export type PublishContext = Readonly<Record<string, string>>;

export interface AttachmentOptions {
  readonly nodeName: string;
  readonly node: () => Node | undefined;
  readonly client: Client;
}

/**
 * What the attacher of a volume says, once the volume is attached and the status of the node says that it is in use,
 * which keeps it attached. Rejects with `VolumeNotReady` before; with another error if the node is said to have it.
 */
export async function readAttachment(
  volume: CsiVolume,
  { nodeName, node, client }: AttachmentOptions,
): Promise<PublishContext> {
  const unique = uniqueName(volume);
  const { volumesInUse, volumesAttached } = node()?.status ?? {};
  if (!volumesInUse?.includes(unique))
    throw new VolumeNotReady(
      `Volume has not been added to the list of VolumesInUse in the node's volume status for volume "${volume.name}"`,
    );
  const name = attachmentName(volume, nodeName);
  try {
    const attachment = await client.get(VolumeAttachment, { name }).catch((error: unknown) => {
      throw new Error(
        `volume ${volume.handle} has GET error for volume attachment ${name}: ${errorMessage(error)}`,
      );
    });
    checkAttached(attachment, volume.handle);
    return attachment.status?.attachmentMetadata ?? {};
  } catch (error) {
    if (volumesAttached?.some((attached) => attached.name === unique)) throw error;
    // The controller that attaches it has events of its own.
    throw new VolumeNotReady(errorMessage(error));
  }
}

/** Throws unless a volume is attached. */
export function checkAttached({ metadata, status }: VolumeAttachment, handle: string): void {
  if (metadata.deletionTimestamp) throw new Error("volume attachment is being deleted");
  if (status?.attached) return;
  if (status?.attachError) throw new Error(status.attachError.message ?? "");
  throw new Error(`volume ${handle} is not attached for volume attachment ${metadata.name}`);
}
