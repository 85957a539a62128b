import type { Handler, Peer } from "../../apiserver/request/request.ts";
import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import { type Network, noNetwork } from "../../base/network.ts";
import { serveStream } from "./serve-stream.ts";

/** Servers of this process, which an API server of it calls by their hosts, without sockets and encryption. */
export class InProcessServers implements Network {
  readonly #parent: InProcessServers | undefined;
  readonly #handlers = new Map<string, Handler>();
  readonly #peer: Peer | undefined;

  /** Those of the parent are reached, too. All calls come from the same peer. */
  constructor(options: { readonly parent?: InProcessServers; readonly peer?: Peer } = {}) {
    this.#parent = options.parent;
    this.#peer = options.peer;
  }

  /** Serves a host; the returned function ends that. */
  serve(host: string, handler: Handler): () => void {
    if (this.find(host)) throw new TypeError(`there is a server of ${host} already`);
    this.#handlers.set(host, handler);
    return () => void this.#handlers.delete(host);
  }

  dial: Network["dial"] = async (target, signal) => {
    const handler = this.find(target.host);
    if (!handler) return noNetwork.dial(target, signal);
    const [near, far] = byteStreamPair();
    void serveStream(far, { handler, peer: this.#peer });
    return near;
  };

  lookup: Network["lookup"] = async (host) => (this.find(host) ? [host] : noNetwork.lookup(host));

  /** What serves a host; undefined if nothing does. */
  find(host: string): Handler | undefined {
    return this.#handlers.get(host) ?? this.#parent?.find(host);
  }
}
