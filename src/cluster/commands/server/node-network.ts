import { type Network, noNetwork } from "../../../base/network.ts";
import type { SimulatedNodes } from "../../../kubelet/simulated/simulated-nodes.ts";

/** The network of an API server whose nodes come, and come anew, after it. */
export interface NodeNetwork extends Network {
  /** From now on kubelets are those of these nodes. */
  use(nodes: Pick<SimulatedNodes, "network">): void;
}

/** A network without nodes yet; beyond them is whatever there is, or nothing. */
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
