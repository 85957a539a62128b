import type { PodSandboxConfig } from "../../cri/runtime-types.ts";

/** What gives a pod its addresses. */
export interface PodNetwork {
  /** Why pods cannot have a network now, as the kubelet tells it; undefined if they can. */
  problem(): Promise<string | undefined>;
  /** Takes the range of pod addresses that the cluster has assigned to the node, where it matters. */
  setRange?(podCidrs: string): void;
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

/** Pods that have nothing but their loopback. */
export const noNetwork: PodNetwork = {
  problem: async () => undefined,
  add: async () => [],
  remove: async () => {},
};
