import type { PodSandboxConfig } from "./runtime-types.ts";

/** What gives the pods of a runtime their addresses. */
export interface PodNetwork {
  /** Why pods cannot have a network now, as the kubelet tells it; undefined if they can. */
  problem(): Promise<string | undefined>;
  /** Takes the ranges of pod addresses that the cluster has assigned to the node, separated by commas. */
  setRange?(podCidrs: string): void;
  /**
   * Restores what the pods of an earlier process need, and releases what is left of others, except of the damaged
   * sandboxes, of which only the IDs are known.
   */
  takeOver?(pods: readonly ConnectedPod[], damaged: readonly string[]): Promise<void>;
  /** Connects the network namespace of a pod; resolves with its addresses, the primary one first. */
  add(pod: NetworkedPod): Promise<readonly string[]>;
  /** Releases what `add` made, also if that was interrupted. */
  remove(pod: NetworkedPod): Promise<void>;
}

export interface NetworkedPod {
  readonly sandboxId: string;
  /** The file of its network namespace. */
  readonly namespace: string;
  readonly config: PodSandboxConfig;
}

/** A pod that has been connected. */
export interface ConnectedPod extends NetworkedPod {
  readonly ips: readonly string[];
}

/** Pods that have nothing but their loopback. */
export const noNetwork: PodNetwork = {
  problem: async () => undefined,
  add: async () => [],
  remove: async () => {},
};
