import { expect, onTestFinished, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { realClock } from "../../platform/real-clock.ts";
import { etcdMethods } from "../../store/etcd/etcd-methods.ts";
import { startEtcdServers } from "../../store/etcd/etcd-server.test-support.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import {
  configMap,
  newDataDirectory,
  newFolder,
  put,
  runStore,
  serveStore,
} from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";
const leased = "/registry/masterleases/10.0.0.1";
const prefix = "\u{10ffff}lease/";

/** A data directory in which a key is attached to a lease of an etcd client. */
async function withLease(): Promise<string> {
  const dir = await newDataDirectory([[put(map, configMap({ a: "1" }))]]);
  const { address, stop } = await serveStore(dir);
  const client = createGrpcClient({ address });
  await client.unary(etcdMethods.leaseGrant, { ID: 0xabcn, TTL: 600 });
  const { value } = put(leased, {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "10.0.0.1" },
  });
  await client.unary(etcdMethods.put, { key: Buffer.from(leased), value, lease: 0xabcn });
  client.close();
  await stop();
  return dir;
}

test("lease keys: shown only with --internal, and no command reports them as damaged", async () => {
  const dir = await withLease();
  const run = async (name: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runStore([name, "--data-dir", dir, ...args]);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  expect(await run("ls")).toBe("/registry/\n");
  expect(await run("ls", "-r")).toBe(`${map}\n${leased}\n`);
  expect(await run("ls", "--internal")).toBe(`/registry/\n${prefix}\n`);
  expect(await run("ls", "-r", "--internal")).toBe(
    `${map}\n${leased}\n${prefix}\n${prefix}${leased}\n`,
  );
  expect(await run("ls", "-r", prefix)).toBe(`${prefix}\n${prefix}${leased}\n`);
  expect(await run("get", `${prefix}${leased}`)).toBe(
    `key: ${leased}\nlease: abc\nttlSeconds: 600\n`,
  );
  expect(await run("history", `${prefix}${leased}`)).toBe(
    'revision 3: created\n  (a lease of etcd\'s API: see "wherry store get")\n',
  );
  expect(await run("verify")).toContain(
    `checked 4 keys at revision 3: order and counts
checked 2 objects: decoded, and named like their keys
checked 2 keys for leases of etcd's API: decoded
checked 2 commits`,
  );
});

test("lease keys: watch shows their changes only with --internal", async () => {
  const dir = await withLease();
  const stop = new AbortController();
  const watch = async (...args: string[]) => {
    const { stdout } = await runStore(["watch", "--data-dir", dir, "--from", "2", ...args], {
      signal: stop.signal,
      onOutput: () => setImmediate(() => stop.abort()),
    });
    return stdout.split("\n").map((line) => line.split("\t").at(-1));
  };
  expect(await watch()).toEqual([leased, ""]);
});

test("lease keys: a damaged one is a violation", async () => {
  const dir = await withLease();
  const store = await openLmdbStore({ path: `${dir}/store`, clock: realClock });
  await store.commit([{ type: "put", key: `${prefix}${leased}`, value: Uint8Array.of(0xff) }]);
  await store.close();
  const { code, stdout } = await runStore(["verify", "--data-dir", dir]);
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining(`violation: ${prefix}${leased} holds no lease: `),
  ]);
});

test("lease keys: a snapshot includes them, and the lease continues", async () => {
  const [dir, folder] = [await withLease(), newFolder()];
  const [file, other] = [`${folder}/backup`, `${folder}/data`];
  expect((await runStore(["snapshot", "--data-dir", dir, file])).code).toBe(0);
  expect((await runStore(["restore", "--data-dir", other, file])).code).toBe(0);
  const { address } = await serveStore(other);
  const client = createGrpcClient({ address });
  const { grantedTTL, keys } = await client.unary(etcdMethods.leaseTimeToLive, {
    ID: 0xabcn,
    keys: true,
  });
  client.close();
  expect([grantedTTL, keys.map((key) => `${Buffer.from(key)}`)]).toEqual([600, [leased]]);
});

describeWith(requires("etcd"))("lease keys", () => {
  test("are not restored into etcd, which has its own leases", async () => {
    const [dir, file] = [await withLease(), `${newFolder()}/backup`];
    await runStore(["snapshot", "--data-dir", dir, file]);
    const servers = await startEtcdServers();
    onTestFinished(() => servers.stop());
    const into = ["--etcd-servers", servers.endpoints.join(",")];
    expect(await runStore(["restore", file, ...into])).toEqual({
      code: 0,
      stdout: `${servers.endpoints}: revision 3, 2 keys, no certificates and keys\n`,
      stderr: "",
    });
    expect((await runStore(["ls", "-r", "--internal", ...into])).stdout).toBe(
      `${map}\n${leased}\n`,
    );
  });
});
