import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import { type DialTarget, type Network, noNetwork } from "../../base/network.ts";
import type { KubeletHandler } from "./kubelet-request.ts";
import { serveConnection } from "./serve-connection.ts";

export interface KubeletNetworkOptions {
  /** The kubelet at an address; undefined if there is none. */
  readonly handlerAt: (target: DialTarget) => KubeletHandler | undefined;
  /** The address of a node, by its name or address; undefined if there is none. */
  readonly addressOf: (host: string) => string | undefined;
  /** Connects to all other addresses; if absent, they cannot be reached. */
  readonly beyond?: Network | undefined;
}

/**
 * A network that connects to the kubelets of this process by the addresses of their nodes. Requests are not
 * authenticated, so that only the API server may have it.
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
