import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { ContainerMount } from "../linux-types.ts";
import type { Mount } from "./messages/container-messages.ts";
import { idRangeFromWire, idRangeToWire } from "./security-context.ts";

/** A mount, as a message. */
export const mountToWire = (mount: ContainerMount): Sent<MessageOf<typeof Mount>> => ({
  container_path: mount.containerPath,
  host_path: mount.hostPath,
  readonly: mount.readonly,
  selinux_relabel: mount.selinuxRelabel,
  propagation: mount.propagation,
  uidMappings: mount.uidMappings?.map(idRangeToWire),
  gidMappings: mount.gidMappings?.map(idRangeToWire),
  recursive_read_only: mount.recursiveReadOnly,
  image: mount.image === undefined ? undefined : { image: mount.image },
  image_sub_path: mount.imageSubPath,
});

/** A mount, from a message. */
export const mountFromWire = (wire: MessageOf<typeof Mount>): ContainerMount => ({
  containerPath: wire.container_path,
  hostPath: wire.host_path,
  readonly: wire.readonly,
  recursiveReadOnly: wire.recursive_read_only,
  selinuxRelabel: wire.selinux_relabel,
  propagation: wire.propagation,
  ...(wire.uidMappings.length > 0 && { uidMappings: wire.uidMappings.map(idRangeFromWire) }),
  ...(wire.gidMappings.length > 0 && { gidMappings: wire.gidMappings.map(idRangeFromWire) }),
  ...(wire.image && wire.image.image !== "" && { image: wire.image.image }),
  ...(wire.image_sub_path !== "" && { imageSubPath: wire.image_sub_path }),
});
