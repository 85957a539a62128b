import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Rejection } from "./admit-pod.ts";

/** Allocates what pods need of their machine before they start: devices, CPUs, memory of NUMA nodes. */
export interface ResourceAllocator {
  /** Allocates the resources of a pod; resolves with why that failed. Returns undefined at once if it needs none. */
  admit(pod: Pod): Promise<Rejection | undefined> | undefined;
  /** A node, with at least the resources that were allocated, although they may have become unhealthy since. */
  offered(node: Node, pod: Pod): Node;
  /** Why a pod cannot get other resources than are allocated to it; undefined if it can. */
  refuseResize(pod: Pod, allocated: Pod["spec"]): string | undefined;
  /** Frees the resources of a pod. */
  release(podUid: string): Promise<void>;
}
