import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { NamespaceOptions, UserNamespaceOptions } from "../../../cri/linux-types.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { PodLookups } from "./linux-settings.ts";

/**
 * The namespaces of a pod and its containers. Throws if the pod must not run with the users of its node, but there
 * are no others for it.
 */
export function podNamespaces(
  { spec }: Pod,
  { userNamespace, runtimeHandler }: PodLookups,
): NamespaceOptions {
  if (spec.hostUsers === false && !userNamespace) {
    const who = runtimeHandler ? `RuntimeClass handler ${quote(runtimeHandler)}` : "runtime";
    throw new Error(`can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`);
  }
  return {
    network: spec.hostNetwork ? "node" : "pod",
    ipc: spec.hostIPC ? "node" : "pod",
    pid: spec.hostPID ? "node" : spec.shareProcessNamespace ? "pod" : "container",
    user: userNamespace ?? usersOfNode,
  };
}

const usersOfNode: UserNamespaceOptions = { mode: "node", uids: [], gids: [] };
