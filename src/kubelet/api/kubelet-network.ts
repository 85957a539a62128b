import { type DialTarget, type Network, noNetwork } from "../../base/network.ts";
import { byteStreamPair } from "./byte-stream-pair.ts";
import type { KubeletHandler } from "./kubelet-request.ts";
import { serveConnection } from "./serve-connection.ts";

export interface KubeletNetworkOptions {
  /** Who answers at an address; undefined where no kubelet does. */
  readonly handlerAt: (target: DialTarget) => KubeletHandler | undefined;
  /** The address of a node, by its name or address; undefined where there is none. */
  readonly addressOf: (host: string) => string | undefined;
  /** Connects to all others; nobody if not given. */
  readonly beyond?: Network | undefined;
}

/**
 * A network on which the kubelets of this process are found at the addresses of their nodes. Nothing
 * leaves the process: its holder may call them, so it is for the API server alone.
 */
export function kubeletNetwork(options: KubeletNetworkOptions): Network {
  const { handlerAt, addressOf, beyond = noNetwork } = options;
  return {
    async dial(target, signal) {
      const handler = handlerAt(target);
      if (!handler) return beyond.dial(target, signal);
      const [near, far] = byteStreamPair();
      void serveConnection(far, handler);
      return near;
    },
    async lookup(host) {
      const address = addressOf(host);
      return address === undefined ? beyond.lookup(host) : [address];
    },
  };
}
