import type { ContainerMount } from "../../../cri/linux-types.ts";
import { type MountInfo, mountOf } from "../../../platform/mount-info.ts";
import type { MountSettings } from "../../containers/container-settings.ts";
import { idMapping } from "./users-of.ts";

interface MountHost {
  /** The mounts of the node. */
  readonly mounts: readonly MountInfo[];
  /** Whether the kernel and the OCI runtime can make all of a tree of mounts read-only. */
  readonly recursiveReadOnly: boolean;
}

/** The mounts of a container of a pod. Their paths on the node must exist and be free of symbolic links. */
export function mountsOf(
  mounts: readonly ContainerMount[],
  host: MountHost,
): readonly MountSettings[] {
  return mounts.map((mount) => ({
    type: "bind",
    source: mount.hostPath,
    destination: mount.containerPath,
    options: ["rbind", propagationOf(mount, host.mounts), accessOf(mount, host.recursiveReadOnly)],
    ...idMappingsOf(mount),
  }));
}

function idMappingsOf({ uidMappings = [], gidMappings = [], hostPath }: ContainerMount) {
  if (uidMappings.length === 0 && gidMappings.length === 0) return {};
  if (uidMappings.length === 0 || gidMappings.length === 0)
    throw new Error(
      `mappings of users and of groups are needed (hostPath=${JSON.stringify(hostPath)})`,
    );
  return {
    idMappings: {
      uidMappings: uidMappings.map(idMapping),
      gidMappings: gidMappings.map(idMapping),
    },
  };
}

/** Mounts pass between node and container only where the node's mount takes part in it. */
function propagationOf(mount: ContainerMount, mounts: readonly MountInfo[]): string {
  if (mount.propagation === undefined || mount.propagation === "private") return "rprivate";
  const isBidirectional = mount.propagation === "bidirectional";
  const info = mountOf(mount.hostPath, mounts);
  const has = (field: string): boolean =>
    info?.optional.some((option) => option.startsWith(`${field}:`)) ?? false;
  if (!has("shared") && (isBidirectional || !has("master"))) {
    throw new Error(
      `path ${JSON.stringify(mount.hostPath)} is mounted on ${JSON.stringify(info?.mountpoint ?? "")} ` +
        `but it is not a ${isBidirectional ? "shared" : "shared or slave"} mount`,
    );
  }
  return isBidirectional ? "rshared" : "rslave";
}

function accessOf(mount: ContainerMount, canBeRecursive: boolean): string {
  const path = `(hostPath=${JSON.stringify(mount.hostPath)})`;
  if (!mount.readonly) {
    if (mount.recursiveReadOnly) {
      throw new Error(`recursive read-only mount conflicts with RW mount ${path}`);
    }
    return "rw";
  }
  if (!mount.recursiveReadOnly) return "ro";
  if (!canBeRecursive) {
    throw new Error(
      `RROUnsupported: runtime handler does not support recursive read-only mounts ${path}`,
    );
  }
  if (mount.propagation !== undefined && mount.propagation !== "private") {
    throw new Error(
      `recursive read-only mount needs private propagation, got "${upstreamNames[mount.propagation]}" ${path}`,
    );
  }
  return "rro";
}

const upstreamNames = {
  hostToContainer: "PROPAGATION_HOST_TO_CONTAINER",
  bidirectional: "PROPAGATION_BIDIRECTIONAL",
};
