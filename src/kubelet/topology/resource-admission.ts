import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Rejection } from "../pod/admit-pod.ts";
import { containersInOrder } from "./containers-in-order.ts";
import { type MergedHint, mergeHints, type NumaNodes } from "./merge-hints.ts";
import { AllocationError, type ResourceProvider } from "./resource-provider.ts";
import type { TopologyHint } from "./topology-hint.ts";
import type { TopologyMetrics } from "./topology-metrics.ts";
import type { TopologyPolicy } from "./topology-policy.ts";

export interface ResourceAdmissionOptions {
  readonly policy: TopologyPolicy;
  readonly machine: NumaNodes;
  readonly providers: readonly ResourceProvider[];
  readonly metrics: TopologyMetrics;
}

/** Allocates resources to pods before they start, aligned to NUMA nodes. */
export class ResourceAdmission {
  readonly #options: ResourceAdmissionOptions;
  /** The nodes chosen for containers, by pod and name. */
  readonly #affinities = new Map<string, Map<string, TopologyHint>>();

  constructor(options: ResourceAdmissionOptions) {
    this.#options = options;
  }

  /** Whether anything must be allocated to a pod. Other pods count as admitted. */
  concerns(pod: Pod): boolean {
    const { policy, providers, metrics } = this.#options;
    if (policy.name !== "none" || providers.some((one) => one.concerns(pod))) return true;
    metrics.begin()();
    return false;
  }

  /** Allocates the resources of a pod; resolves with why that is not possible. Pods must be admitted one by one. */
  async admit(pod: Pod): Promise<Rejection | undefined> {
    const done = this.#options.metrics.begin();
    try {
      await this.#allocateAll(pod);
      done();
      return undefined;
    } catch (error) {
      done({ isAligning: this.#options.policy.name !== "none" });
      return rejectionOf(error);
    }
  }

  /** The nodes chosen for a container. */
  affinityOf(podUid: string, container: string): TopologyHint {
    return this.#affinities.get(podUid)?.get(container) ?? unaligned;
  }

  /** Forgets a pod that has ended. */
  forget(podUid: string): void {
    this.#affinities.delete(podUid);
  }

  async #allocateAll(pod: Pod): Promise<void> {
    const { policy, metrics } = this.#options;
    const whole = policy.scope === "pod" ? this.#align(pod) : undefined;
    for (const container of containersInOrder(pod)) {
      const affinity = whole ?? this.#align(pod, container);
      this.#setAffinity(pod, container.name, affinity);
      for (const provider of this.#options.providers)
        await provider.allocate(pod, container, affinity);
      if (!whole) metrics.aligned(policy);
    }
    if (whole) metrics.aligned(policy);
  }

  /** The best nodes for a container or a whole pod. Throws if the policy does not accept them. */
  #align(pod: Pod, container?: Container): TopologyHint {
    const { policy, providers, machine, metrics } = this.#options;
    if (policy.name === "none") return unaligned;
    const hints = providers.map((one) =>
      container ? one.hints(pod, container) : one.podHints(pod),
    );
    const { hint, isAdmitted }: MergedHint = mergeHints(policy, hints, machine);
    if (isAdmitted) return hint;
    metrics.unaligned(policy);
    throw new AllocationError(
      "TopologyAffinityError",
      "Resources cannot be allocated with Topology locality",
    );
  }

  #setAffinity({ metadata: { uid = "" } }: Pod, container: string, hint: TopologyHint): void {
    const ofPod = this.#affinities.get(uid) ?? new Map<string, TopologyHint>();
    this.#affinities.set(uid, ofPod.set(container, hint));
  }
}

const unaligned: TopologyHint = { affinity: undefined, isPreferred: false };

function rejectionOf(error: unknown): Rejection {
  if (error instanceof AllocationError) return { reason: error.reason, message: error.message };
  return {
    reason: "UnexpectedAdmissionError",
    message: `Allocate failed due to ${errorMessage(error)}, which is unexpected`,
  };
}
