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

/** A server of etcd's API, new and empty. */
export interface Endpoint {
  /** `127.0.0.1:2379` */
  readonly address: string;
  stop(): Promise<void>;
}

/** The real one. */
export async function startEtcd(tls?: EtcdTls): Promise<Endpoint> {
  const servers = await startEtcdServers(tls && { tls });
  const [url = ""] = servers.endpoints;
  return { address: new URL(url).host, stop: () => servers.stop() };
}

/** Ours. */
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

/** Both of them for the tests of a file, which are asked the same. */
export interface Both {
  /** Of etcd, and of ours. */
  clients(): readonly GrpcClient[];
  /** Calls both, and compares what they answer; the error where there is one. */
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

/** What was answered, without who did. */
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
