import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { PutRequest, RangeRequest } from "../etcd/etcd-messages.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { startEtcdServers } from "../etcd/etcd-server.test-support.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import type { StoreView } from "../transactor.ts";
import { Draft } from "./draft.ts";
import { hasEtcdctl } from "./etcdctl.test-support.ts";
import { LeaseBook } from "./lease-book.ts";
import { rangeIn } from "./range.ts";
import { snapshotFile } from "./snapshot-file.ts";
import { put } from "./writes.ts";

const run = promisify(execFile);
const env = { ...process.env, ETCDCTL_API: "3" };
const zero = new Uint8Array(1);
const all = RangeRequest.decode(RangeRequest.encode({ key: zero, range_end: zero }));

test.skipIf(!hasEtcdctl)(
  "snapshotFile: etcd continues from it at the same revision, with the same keys and leases",
  async () => {
    const clock = new VirtualClock();
    const store = new MemoryStore(clock);
    const leases = new LeaseBook({ store, clock, log: noLog, newId: () => 1n });
    leases.grant(77n, 1000);
    // Enough for a tree of three levels, and one value larger than a page.
    for (let n = 0; n < 300; n++) {
      await store.commit(
        Array.from({ length: 50 }, (_, m) => ({
          type: "put",
          key: `/registry/things/${m}/${n}`,
          value: new Uint8Array((n * 31 + m) % 200).fill(n),
        })),
      );
    }
    await store.commit([{ type: "put", key: "/large", value: new Uint8Array(100_000).fill(7) }]);
    const request = { key: Buffer.from("/leased"), value: Buffer.from("x"), lease: 77n };
    await store.transact((now) => {
      const draft = new Draft(now);
      put({ draft, leases }, PutRequest.decode(PutRequest.encode(request)));
      return { ops: draft.ops, answer: undefined };
    });
    await store.commit([{ type: "delete", key: "/registry/things/0/0" }]);
    const { revision, kvs } = rangeIn(store.view(), all);

    const dir = await mkdtemp(join(tmpdir(), "wherry-snapshot-"));
    const [file, restored] = [join(dir, "snapshot.db"), join(dir, "restored")];
    const snapshot = await snapshotFile(store);
    // Later commits are not included.
    await store.commit([
      { type: "put", key: "/large", value: new Uint8Array(10) },
      { type: "delete", key: "/leased" },
      { type: "put", key: "/late", value: new Uint8Array(10) },
    ]);
    const bytes = Buffer.concat([...snapshot.pages()]);
    expect(bytes.length).toBe(snapshot.bytes);
    await writeFile(file, bytes);
    const status = await run("etcdctl", ["snapshot", "status", file, "-w", "json"], { env });
    // Keys, one lease, and two records of the compaction.
    expect(JSON.parse(status.stdout)).toMatchObject({ totalKey: kvs.length + 3 });
    const restore = ["snapshot", "restore", file, "--data-dir", restored, "--skip-hash-check"];
    await run("etcdctl", restore, { env });
    const etcd = await startEtcdServers({ arguments: ["--data-dir", restored] });
    const [url = ""] = etcd.endpoints;
    const client = createGrpcClient({ address: new URL(url).host });
    try {
      const got = await client.unary(etcdMethods.range, all);
      expect(got.header?.revision).toBe(revision);
      const plain = (all: typeof kvs) =>
        all.map((kv) => ({
          ...kv,
          key: `${Buffer.from(kv.key)}`,
          value: `${Buffer.from(kv.value)}`,
        }));
      expect(plain(got.kvs)).toEqual(plain(kvs));
      const lease = await client.unary(etcdMethods.leaseTimeToLive, { ID: 77n, keys: true });
      expect([lease.grantedTTL, lease.keys.map((key) => `${Buffer.from(key)}`)]).toEqual([
        1000,
        ["/leased"],
      ]);
    } finally {
      client.close();
      await etcd.stop();
      leases.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
);

test("snapshotFile: values are read page by page, so that few are in memory", async () => {
  const store = new MemoryStore(new VirtualClock());
  const count = 300;
  for (let n = 0; n < count; n++)
    await store.commit([{ type: "put", key: `/${n}`, value: new Uint8Array(4000) }]);
  let [listed, most, got] = [0, 0, 0];
  const view = (): StoreView => {
    const real = store.view();
    return {
      ...real,
      list(prefix, options) {
        const page = real.list(prefix, options);
        listed += page.entries.length;
        most = Math.max(most, page.entries.length);
        return page;
      },
      get(key, revision) {
        if (/^\/\d/.test(key)) got++;
        return real.get(key, revision);
      },
    };
  };
  const file = await snapshotFile({ view });
  expect([listed, most < 100, got]).toEqual([count, true, 0]);
  let pages = 0;
  for (const page of file.pages()) {
    pages += page.length / 4096;
    expect(got).toBeLessThanOrEqual(pages);
  }
  expect([got, pages * 4096]).toEqual([count, file.bytes]);
});

test("snapshotFile: a compaction meanwhile is an error, not missing keys", async () => {
  const store = new MemoryStore(new VirtualClock());
  const put = (key: string) =>
    store.commit([{ type: "put", key, value: new Uint8Array(4000).fill(1) }]);
  for (const key of ["/a", "/b", "/c"]) await put(key);
  const file = await snapshotFile(store);
  await put("/b");
  await store.compact(4);
  // The revision of the snapshot itself is still readable.
  expect(Buffer.concat([...file.pages()]).length).toBe(file.bytes);
  await store.compact(5);
  expect(() => [...file.pages()]).toThrow(/has been compacted meanwhile: take it again/);
});
