import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import {
  type AcceptStreams,
  type ByteStream,
  type Network,
  noNetwork,
} from "../../base/network.ts";

type Serve = (stream: ByteStream) => void;

/** Servers of this process, which an API server of it calls by their hosts, without sockets and encryption. */
export class InProcessServers implements Network {
  readonly #parent: InProcessServers | undefined;
  readonly #served = new Map<string, Serve>();

  /** Those of the parent are reached, too. */
  constructor(parent?: InProcessServers) {
    this.#parent = parent;
  }

  readonly accept: AcceptStreams = (serve) => {
    const host = `server-${++lastServer}.test`;
    this.#served.set(host, serve);
    return { host, close: () => void this.#served.delete(host) };
  };

  readonly dial: Network["dial"] = async (target, signal) => {
    const serve = this.find(target.host);
    if (!serve) return noNetwork.dial(target, signal);
    const [near, far] = byteStreamPair();
    serve(far);
    return near;
  };

  readonly lookup: Network["lookup"] = async (host) =>
    this.find(host) ? [host] : noNetwork.lookup(host);

  /** What serves a host; undefined if nothing does. */
  find(host: string): Serve | undefined {
    return this.#served.get(host) ?? this.#parent?.find(host);
  }
}

/** Hosts are never used twice, not even by forks. */
let lastServer = 0;
