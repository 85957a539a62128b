import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { NamespaceOptions, UserNamespaceOptions } from "../../../cri/linux-types.ts";

/** The namespaces of a pod and its containers. */
export const podNamespaces = (
  { spec }: Pod,
  user: UserNamespaceOptions | undefined,
): NamespaceOptions => ({
  network: spec.hostNetwork ? "node" : "pod",
  ipc: spec.hostIPC ? "node" : "pod",
  pid: spec.hostPID ? "node" : spec.shareProcessNamespace ? "pod" : "container",
  user,
});
