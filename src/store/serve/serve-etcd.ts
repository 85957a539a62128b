import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { hostPort } from "../../base/network.ts";
import type { Random } from "../../base/random.ts";
import { createGrpcServer, streamHandler } from "../../platform/grpc/grpc-server.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import type { Store } from "../store.ts";
import type { Transactor } from "../transactor.ts";
import { authHandlers } from "./auth-handlers.ts";
import { maxRequestBytes } from "./check-requests.ts";
import { WatchStream } from "./etcd-watch-stream.ts";
import type { Member } from "./header.ts";
import { healthHandlers } from "./health-handlers.ts";
import { httpPages } from "./http-pages.ts";
import { kvHandlers } from "./kv-handlers.ts";
import { LeaseBook } from "./lease-book.ts";
import { leaseHandlers } from "./lease-handlers.ts";
import { maintenanceHandlers } from "./maintenance-handlers.ts";
import { unsupportedHandlers } from "./unsupported-handlers.ts";

export interface ServeEtcdOptions {
  /** The caller closes it after the server. */
  readonly store: Store & Transactor;
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  /** Default: no TLS, for any client that reaches the address. */
  readonly tls?: TlsOptions | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The size of the store on disk. */
  storeBytes(): number;
}

export interface ServedEtcd {
  readonly port: number;
  /** The advertised client URL: `http://127.0.0.1:2379`. */
  readonly url: string;
  /** Ends all calls; the store stays open. */
  close(): Promise<void>;
}

/** The maximum size of a request beside its keys and values. */
const overheadBytes = 512 * 1024;

/** Serves etcd's v3 API on a store. */
export async function serveEtcd(options: ServeEtcdOptions): Promise<ServedEtcd> {
  const { store, host, tls, clock, random, log, storeBytes } = options;
  const member = { clusterId: 0n, memberId: 0n, name: "wherry", url: "" };
  const leases = new LeaseBook({ store, clock, log, newId: newLeaseId });
  const served = { store, leases, member, storeBytes, clock, random };
  const server = createGrpcServer({
    handlers: [
      ...kvHandlers(served),
      ...leaseHandlers(served),
      ...maintenanceHandlers(served),
      ...authHandlers(served),
      ...unsupportedHandlers,
      ...healthHandlers,
      streamHandler(etcdMethods.watch, (requests, reply) =>
        new WatchStream(served, reply).run(requests),
      ),
    ],
    tls,
    maxMessageBytes: maxRequestBytes + overheadBytes,
    http1: httpPages(store),
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  // The calls of a broken session report the error.
  server.on("session", (session) => session.on("error", () => undefined));
  try {
    server.listen(options.port, host);
    await once(server, "listening");
  } catch (error) {
    leases.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const url = `${tls ? "https" : "http"}://${hostPort(host, port)}`;
  Object.assign(member, identity(url));
  return {
    port,
    url,
    async close() {
      leases.close();
      const closed = once(server, "close");
      server.close();
      // Closing sessions would wait for clients that do not read.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Derived from the URL, as in etcd. */
function identity(url: string): Pick<Member, "url" | "clusterId" | "memberId"> {
  const hash = (text: string): bigint =>
    createHash("sha256").update(text).digest().readBigUInt64BE();
  return { url, memberId: hash(url), clusterId: hash(`cluster of ${url}`) };
}

const newLeaseId = (): bigint => randomBytes(8).readBigUInt64BE() >> 1n;
