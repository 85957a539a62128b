import { type Network, noNetwork } from "../../../base/network.ts";
import type { SimulatedNodes } from "../../../kubelet/simulated/simulated-nodes.ts";

/** The network of an API server whose nodes start, and restart, after it. */
export interface NodeNetwork extends Network {
  /** Replaces the nodes whose kubelets are reached. */
  use(nodes: Pick<SimulatedNodes, "network">): void;
}

/** Creates a network without nodes; other addresses use the given network, if any. */
export function nodeNetwork(beyond: Network = noNetwork): NodeNetwork {
  let current = beyond;
  return {
    use(nodes) {
      current = nodes.network(beyond);
    },
    dial: (target, signal) => current.dial(target, signal),
    lookup: (host) => current.lookup(host),
  };
}
