import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** Whether a pod comes from a file or an address of the node instead of the API. */
export function isStaticPod({ metadata }: Pod): boolean {
  const source = metadata.annotations?.["kubernetes.io/config.source"];
  return source !== undefined && source !== "api";
}
