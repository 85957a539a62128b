import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { realClock } from "../../platform/real-clock.ts";
import { etcdMethods } from "../../store/etcd/etcd-methods.ts";
import { etcdTls } from "../../store/etcd/etcd-server.test-support.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { start } from "../commands/apiserver/apiserver.ts";
import { etcdListenProblems, givenEtcdListen } from "./etcd-listen.ts";

const flags = {
  "etcd-listen": "",
  "etcd-listen-cert-file": "",
  "etcd-listen-key-file": "",
  "etcd-listen-client-ca-file": "",
};
const tls = { "etcd-listen-cert-file": "c", "etcd-listen-key-file": "k" };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test.each([
  [{}, []],
  [{ "etcd-listen": "127.0.0.1:2379" }, []],
  [{ "etcd-listen": "[::1]:0", ...tls }, []],
  [{ "etcd-listen": "0.0.0.0:2379", ...tls, "etcd-listen-client-ca-file": "a" }, []],
  [{ "etcd-listen": "10.0.0.1:2379" }, [/every client can read all secrets/]],
  [{ "etcd-listen": "10.0.0.1:2379", ...tls }, [/etcd-listen-client-ca-file/]],
  [{ "etcd-listen": "localhost:2379" }, [/must be an IP address and a port/]],
  [{ "etcd-listen": "127.0.0.1:99999" }, [/must be an IP address and a port/]],
  [{ "etcd-listen": "127.0.0.1:1", "etcd-listen-cert-file": "c" }, [/must be given together/]],
  [
    { "etcd-listen": "127.0.0.1:1", "etcd-listen-client-ca-file": "c" },
    [/needs --etcd-listen-cert/],
  ],
  [tls, [/need --etcd-listen$/]],
])("etcdListenProblems: %j", (given, problems) => {
  const got = etcdListenProblems({ ...flags, ...given });
  expect(got).toEqual(problems.map((problem) => expect.stringMatching(problem)));
});

test("etcd's API serves an API server's objects to clients with a certificate", async () => {
  const dir = await mkdtemp(join(tmpdir(), "wherry-listen-"));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const { caFile, certFile, keyFile, client } = await etcdTls(dir);
  const port = await freePort();
  const etcdListen = await givenEtcdListen({
    "etcd-listen": `127.0.0.1:${port}`,
    "etcd-listen-cert-file": certFile,
    "etcd-listen-key-file": keyFile,
    "etcd-listen-client-ca-file": caFile,
  });
  const server = await start({ dir: join(dir, "data"), host: "127.0.0.1", port: 0, etcdListen });
  ends.push(() => server.close());
  const call = async (tlsOptions: typeof client) => {
    const caller = createGrpcClient({ address: `127.0.0.1:${port}`, tls: tlsOptions });
    ends.push(() => caller.close());
    return caller.unary(etcdMethods.range, { key: encoder.encode("/registry/namespaces/default") });
  };
  const { kvs } = await call(client);
  expect(new TextDecoder().decode(kvs[0]?.value)).toMatch(/^k8s\0.*Namespace/s);
  await expect(call({ ca: client.ca })).rejects.toThrow();
});

test("a key with a lease expires although etcd's API is no longer served", async () => {
  const dir = await mkdtemp(join(tmpdir(), "wherry-listen-"));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const key = encoder.encode("/registry/masterleases/10.0.0.1");
  const options = { dir, host: "127.0.0.1", port: 0 };
  const port = await freePort();
  const address = { ...flags, "etcd-listen": `127.0.0.1:${port}` };
  const first = await start({ ...options, etcdListen: await givenEtcdListen(address) });
  const caller = createGrpcClient({ address: `127.0.0.1:${port}` });
  // Two seconds is the minimum time to live; a restart renews it.
  await caller.unary(etcdMethods.leaseGrant, { ID: 5n, TTL: 2 });
  await caller.unary(etcdMethods.put, { key, lease: 5n });
  caller.close();
  await first.close();
  const held = await keysOf(dir);
  const second = await start(options);
  ends.push(() => second.close());
  await expect.poll(() => keysOf(dir)).toEqual([]);
  expect(held).toEqual(["/registry/masterleases/10.0.0.1"]);
});

/** The server leases in a data directory. */
async function keysOf(dir: string): Promise<string[]> {
  const path = join(dir, "store");
  const store = await openLmdbStore({ path, clock: realClock, readOnly: true });
  const { entries } = await store.list("/registry/masterleases/");
  await store.close();
  return entries.map(({ key }) => key);
}

const encoder = new TextEncoder();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}
