import type { MessageOf, Sent } from "../../../../base/protobuf-message.ts";
import type { CsiVolume } from "./csi-volume.ts";
import type { VolumeCapability } from "./wire/csi-messages.ts";
import type { NodeCapability } from "./wire/node-methods.ts";

type Capability = MessageOf<typeof VolumeCapability>;
type AccessMode = NonNullable<Capability["access_mode"]>["mode"];

/** How a volume is going to be used, in the words of CSI. */
export const capabilityOf = (
  { isBlock, fsType, mountOptions, accessModes }: CsiVolume,
  { capabilities, fsGroup }: CapabilityContext,
): Sent<Capability> => ({
  ...(isBlock
    ? { block: {} }
    : {
        mount: {
          fs_type: fsType,
          mount_flags: mountOptions,
          volume_mount_group: mountGroup(capabilities, fsGroup),
        },
      }),
  access_mode: { mode: accessModeOf(accessModes?.[0] ?? "ReadWriteOnce", capabilities) },
});

interface CapabilityContext {
  /** What the driver can do. */
  readonly capabilities: ReadonlySet<NodeCapability>;
  readonly fsGroup?: number | undefined;
}

/** The group of the files, for drivers that set it themselves. */
const mountGroup = (
  capabilities: ReadonlySet<NodeCapability>,
  fsGroup: number | undefined,
): string =>
  fsGroup !== undefined && capabilities.has("VOLUME_MOUNT_GROUP") ? String(fsGroup) : "";

/** Only some drivers distinguish several pods of a node from one. */
function accessModeOf(mode: string, capabilities: ReadonlySet<NodeCapability>): AccessMode {
  const distinguishes = capabilities.has("SINGLE_NODE_MULTI_WRITER");
  switch (mode) {
    case "ReadWriteOnce":
      return distinguishes ? "SINGLE_NODE_MULTI_WRITER" : "SINGLE_NODE_WRITER";
    case "ReadWriteOncePod":
      return distinguishes ? "SINGLE_NODE_SINGLE_WRITER" : "SINGLE_NODE_WRITER";
    case "ReadOnlyMany":
      return "MULTI_NODE_READER_ONLY";
    case "ReadWriteMany":
      return "MULTI_NODE_MULTI_WRITER";
    default:
      return "UNKNOWN";
  }
}
