import type { IdRange, UserNamespaceOptions } from "../../../cri/linux-types.ts";
import type { PodSandboxConfig } from "../../../cri/runtime-types.ts";
import type { IdMapping, IdMappings } from "../../containers/container-settings.ts";

/**
 * The users of a pod's own user namespace; undefined if they are the node's. Throws if there cannot be such a
 * namespace: all that belongs to it must be the pod's own, too.
 */
export function usersOf({ hostNetwork, security }: PodSandboxConfig): IdMappings | undefined {
  const { user, ipc, pid } = security?.namespaces ?? {};
  if (user?.mode !== "pod") return undefined;
  for (const [name, isHosts] of Object.entries({
    network: hostNetwork,
    IPC: ipc === "node",
    processes: pid === "node",
  }))
    if (isHosts)
      throw new Error(`a pod with a user namespace cannot share the ${name} of its node`);
  const { uids, gids } = user;
  if (uids.length !== 1 || gids.length !== 1)
    throw new Error("a user namespace needs exactly one mapping of users, and one of groups");
  return idMappings(user);
}

/** Throws if a container is to have other users than its pod. */
export function checkUsers(
  pod: UserNamespaceOptions | undefined,
  container: UserNamespaceOptions | undefined,
): void {
  const text = (user: UserNamespaceOptions | undefined): string =>
    JSON.stringify(user?.mode === "pod" ? idMappings(user) : {});
  if (container && text(pod) !== text(container))
    throw new Error("the user namespace of a container must be that of its sandbox");
}

/** A range of IDs, in the words of OCI configurations. */
export const idMapping = ({ containerId, hostId, length }: IdRange): IdMapping => ({
  containerID: containerId,
  hostID: hostId,
  size: length,
});

const idMappings = ({ uids, gids }: UserNamespaceOptions): IdMappings => ({
  uidMappings: uids.map(idMapping),
  gidMappings: gids.map(idMapping),
});
