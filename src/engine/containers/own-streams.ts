import { chown, stat } from "node:fs/promises";
import { type MappedUsers, mappedId } from "../snapshots/mapped-users.ts";

/**
 * Gives the pipes of a container's first process to its user, so that it can open `/dev/stdout`. The OCI runtime does
 * so as root of the container, who may not where pipes of the node belong to nobody that the container knows.
 */
export async function ownStreams(pid: number, uid: number, users: MappedUsers): Promise<void> {
  const owner = mappedId(uid, users.uidMappings);
  for (const descriptor of [0, 1, 2]) {
    const path = `/proc/${pid}/fd/${descriptor}`;
    const found = await stat(path);
    // Terminals are the container's own, and /dev/null is everyone's.
    if (found.isFIFO()) await chown(path, owner, found.gid);
  }
}
