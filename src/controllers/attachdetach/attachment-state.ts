import { type CsiVolumeKey, csiUniqueName } from "../../api/core/v1/volume/csi-volume-key.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { VolumeAttachment } from "../../api/storage/v1/volume-attachment.ts";

/** A volume that a driver attaches to nodes. */
export interface AttachableVolume extends CsiVolumeKey {
  /** Its name in the status of nodes. */
  readonly uniqueName: string;
  /** The name of the persistent volume. */
  readonly name: string;
  /** Whether only one node at a time can have it. */
  readonly isExclusive: boolean;
}

/** The volume of a driver; undefined for other volumes. */
export function attachableVolume({
  metadata,
  spec,
}: PersistentVolume): AttachableVolume | undefined {
  if (!spec.csi) return undefined;
  const { driver, volumeHandle: handle } = spec.csi;
  const modes = spec.accessModes ?? [];
  return {
    ...{ driver, handle, name: metadata.name ?? "" },
    uniqueName: csiUniqueName({ driver, handle }),
    // Without modes nobody knows, and the attacher decides.
    isExclusive: modes.length > 0 && !modes.some((mode) => ofManyNodes.has(mode)),
  };
}

const ofManyNodes = new Set(["ReadWriteMany", "ReadOnlyMany"]);

export type AttachmentState =
  | { readonly type: "absent" | "pending" | "attached" | "leaving" }
  | { readonly type: "failed"; readonly message: string };

/** How far the attachment of a volume to a node is. */
export function attachmentState(attachment: VolumeAttachment | undefined): AttachmentState {
  if (!attachment) return { type: "absent" };
  const { metadata, status } = attachment;
  if (metadata.deletionTimestamp) return { type: "leaving" };
  if (status?.attached) return { type: "attached" };
  if (!status?.attachError) return { type: "pending" };
  return { type: "failed", message: status.attachError.message ?? "" };
}
