import { inspect } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { noLog } from "../../base/log.ts";
import type { Sent } from "../../base/protobuf-message.ts";
import { createGrpcClient, type GrpcClient } from "../../platform/grpc/grpc-client.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { type EtcdTls, startEtcdServers } from "../etcd/etcd-server.test-support.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import { serveEtcd } from "./serve-etcd.ts";

/** A new, empty server of etcd's API. */
export interface Endpoint {
  /** `127.0.0.1:2379` */
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts the real etcd. */
export async function startEtcd(tls?: EtcdTls): Promise<Endpoint> {
  const servers = await startEtcdServers(tls && { tls });
  const [url = ""] = servers.endpoints;
  return { address: new URL(url).host, stop: () => servers.stop() };
}

/** Starts Wherry's server. */
export async function startOurs(tls?: EtcdTls): Promise<Endpoint> {
  const store = new MemoryStore(realClock);
  const served = await serveEtcd({
    store,
    host: "127.0.0.1",
    port: 0,
    tls: tls && { ...tls.client, requestCert: true, rejectUnauthorized: true },
    clock: realClock,
    random: systemRandom,
    log: noLog,
    storeBytes: () => 4096,
  });
  return {
    address: `127.0.0.1:${served.port}`,
    async stop() {
      await served.close();
      await store.close();
    },
  };
}

/** Both servers, which get the same requests. */
export interface Both {
  /** Clients of etcd and of Wherry. */
  clients(): readonly GrpcClient[];
  /** Sends a request to both and compares the responses; returns the error, if any. */
  same<I, O>(method: GrpcMethod<I, O>, request: Sent<I>): Promise<unknown>;
}

/** Starts both before the tests of a `describe`, and stops them after. */
export function startBoth(): Both {
  let ends: Endpoint[] = [];
  let clients: GrpcClient[] = [];
  beforeAll(async () => {
    ends = await Promise.all([startEtcd(), startOurs()]);
    clients = ends.map(({ address }) => createGrpcClient({ address }));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all(ends.map((end) => end.stop()));
  });
  return {
    clients: () => clients,
    async same(method, request) {
      const [wanted, got] = await Promise.all(
        clients.map((client) =>
          client.unary(method, request).then(readable, ({ code, message }) => ({ code, message })),
        ),
      );
      expect(got, `${method.path} ${inspect(request)}`).toEqual(wanted);
      return got;
    },
  };
}

/** A response without the identity of the server. */
export function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  const hidden = new Set(["cluster_id", "member_id", "raft_term"]);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      hidden.has(name) || one === undefined ? [] : [[name, readable(one)]],
    ),
  );
}
