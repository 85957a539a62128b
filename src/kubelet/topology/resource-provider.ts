import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ResourceHints, TopologyHint } from "./topology-hint.ts";

/** Provides a kind of resources of the machine to containers: devices, CPUs, memory. */
export interface ResourceProvider {
  /** Whether a pod needs any of them. */
  concerns(pod: Pod): boolean;
  /** The NUMA nodes from which a container, or a whole pod, can get its resources. */
  hints(pod: Pod, container: Container): ResourceHints;
  podHints(pod: Pod): ResourceHints;
  /**
   * Allocates the resources of a container, near these nodes if possible; does nothing if it has them already. Init
   * containers come first. Rejects with an `AllocationError`, or another error that was not expected.
   */
  allocate(pod: Pod, container: Container, affinity: TopologyHint): Promise<void>;
}

/** Why a pod cannot get its resources, with the reason that its status has. */
export class AllocationError extends Error {
  override readonly name = "AllocationError";
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
