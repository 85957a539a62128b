import { describe, expect, test } from "vitest";
import type { Sent } from "../../base/protobuf-message.ts";
import {
  type Compare,
  compareResults,
  compareTargets,
  type RequestOp,
  sortOrders,
  sortTargets,
  type TxnRequest,
  type WatchResponse,
  watchFilters,
} from "../etcd/etcd-messages.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { hasEtcd } from "../etcd/etcd-server.test-support.ts";
import { readable, startBoth } from "./both.test-support.ts";

/** The machine may be busy. */
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const raw = (...all: number[]): Uint8Array => Uint8Array.from(all);

describe.skipIf(!hasEtcd)("serveEtcd responds as etcd does", () => {
  const { clients, same } = startBoth();
  const put = (key: string, value: string) =>
    same(etcdMethods.put, { key: bytes(key), value: bytes(value) });
  const txn = (request: Sent<TxnRequest>) => same(etcdMethods.txn, request);
  const all = { key: raw(0), range_end: raw(0) };
  const putOp = (key: string, value: string): Sent<RequestOp> => ({
    request_put: { key: bytes(key), value: bytes(value), prev_kv: true },
  });
  const deleteOp = (key: string, end = ""): Sent<RequestOp> => ({
    request_delete_range: { key: bytes(key), range_end: bytes(end), prev_kv: true },
  });
  const rangeOp = (key: string, end = ""): Sent<RequestOp> => ({
    request_range: { key: bytes(key), range_end: bytes(end) },
  });

  test("ranges: every bound, filter and order", async () => {
    for (const key of ["a", "a\0", "a/b", "aé", "aп", "aп/x", "aр", "a\u{ffff}", "a\u{10000}", "b"])
      await put(key, `value of ${key}`);
    await put("a/b", "again");
    const bounds = [
      ...["a", "a\0", "a/", "aп", "b", "\u{10ffff}"].map(bytes),
      ...[
        raw(0),
        raw(0x61, 0xd0, 0xc0),
        raw(0x61, 0xd0),
        raw(0x61, 0xff),
        raw(0xff),
        raw(0x61, 0xf4),
      ],
    ];
    for (const key of bounds) {
      for (const range_end of [raw(), ...bounds]) {
        await same(etcdMethods.range, { key, range_end });
        await same(etcdMethods.range, { key, range_end, limit: 2, keys_only: true });
        await same(etcdMethods.range, { key, range_end, revision: 5, count_only: true });
      }
    }
    for (const sort_target of Object.values(sortTargets)) {
      for (const sort_order of [sortOrders.ascend, sortOrders.descend]) {
        // The order of equal items is undefined in etcd.
        const isUnique = sort_target !== sortTargets.version;
        const range = isUnique ? all : { key: bytes("a/b") };
        await same(etcdMethods.range, { ...range, sort_target, sort_order, limit: 3 });
      }
    }
    await same(etcdMethods.range, { ...all, min_mod_revision: 4, max_mod_revision: 7 });
    await same(etcdMethods.range, { ...all, min_create_revision: 6, limit: 2 });
    await same(etcdMethods.range, { ...all, max_create_revision: 6, limit: 20 });
    await same(etcdMethods.range, { ...all, revision: 1 });
    await same(etcdMethods.range, { ...all, revision: 1000 });
    await same(etcdMethods.range, { ...all, revision: -5, limit: -1 });
    await same(etcdMethods.range, {});
  });

  test("transactions: comparisons of every kind, of keys and of ranges", async () => {
    await put("t/1", "b");
    await put("t/2", "b");
    const { kvs } = (await same(etcdMethods.range, { key: bytes("t/1") })) as {
      kvs: readonly { mod_revision: number }[];
    };
    const revision = kvs[0]?.mod_revision ?? 0;
    const said: Sent<Compare>[] = [
      { target: compareTargets.version, version: 1 },
      { target: compareTargets.create, create_revision: revision },
      { target: compareTargets.mod, mod_revision: revision + 1 },
      { target: compareTargets.value, value: bytes("b") },
      { target: compareTargets.value },
      { target: compareTargets.lease, lease: 0n },
      { target: compareTargets.mod },
    ];
    const ranges = [["t/1"], ["t/", "t0"], ["t/", "\0"], ["none"], ["none", "nonf"]].map(
      ([key = "", end = ""]) => ({ key: bytes(key), range_end: bytes(end) }),
    );
    for (const one of said) {
      for (const result of Object.values(compareResults)) {
        for (const range of ranges) await txn({ compare: [{ ...one, ...range, result }] });
      }
    }
  });

  test("transactions: operations, also in nested transactions", async () => {
    await put("n/1", "x");
    const isThere = (key: string): Sent<Compare> => ({
      key: bytes(key),
      target: compareTargets.version,
      result: compareResults.greater,
      version: 0,
    });
    const inner = (
      compare: Sent<Compare>[],
      success: Sent<RequestOp>[],
      failure: Sent<RequestOp>[] = [],
    ) => ({
      request_txn: { compare, success, failure },
    });
    // A nested comparison sees the state before the transaction; a range sees earlier operations.
    await txn({
      success: [
        putOp("n/2", "new"),
        rangeOp("n/", "n0"),
        inner(
          [isThere("n/2")],
          [putOp("n/3", "then")],
          [putOp("n/3", "else"), rangeOp("n/", "n0")],
        ),
        inner([isThere("n/1")], [deleteOp("n/1"), rangeOp("n/", "n0")]),
        deleteOp("n/9", "n/a"),
        deleteOp("m", "n"),
        rangeOp("n/", "n0"),
      ],
    });
    await txn({ compare: [isThere("n/1")], success: [putOp("no", "")], failure: [rangeOp("n/2")] });
    await txn({ success: [putOp("k", "1"), putOp("k", "2")] });
    await txn({ success: [putOp("k", "1"), deleteOp("a", "z")] });
    await txn({ success: [deleteOp("k"), deleteOp("a", "c"), deleteOp("b", "d")] });
    await txn({ success: [inner([], [putOp("k", "1")], [putOp("k", "2")]), putOp("l", "1")] });
    await txn({ success: [inner([], [putOp("k", "1")]), putOp("k", "1")] });
    await txn({ success: [inner([], [putOp("k", "1")]), deleteOp("a", "z")] });
    await txn({ failure: [putOp("k", "1"), putOp("k", "2")] });
    await txn({ success: [{}] });
    await txn({ success: [putOp("", "1")] });
    await txn({ compare: [{ key: raw() }] });
    await txn({ success: Array.from({ length: 129 }, (_, n) => rangeOp(`${n}`)) });
    await txn({ success: [{ request_put: { key: bytes("k"), lease: 99n } }, putOp("never", "")] });
    await txn({ success: [{ request_range: { ...all, revision: 10_000 } }, putOp("never", "")] });
    await txn({ success: [{ request_put: { key: bytes("none"), ignore_value: true } }] });
    await same(etcdMethods.range, all);
  });

  test("puts: contradictory or too large ones are rejected", async () => {
    const key = bytes("p");
    await same(etcdMethods.put, { value: bytes("x") });
    await same(etcdMethods.put, { key, value: bytes("x"), ignore_value: true });
    await same(etcdMethods.put, { key, lease: 5n, ignore_lease: true });
    await same(etcdMethods.put, { key, ignore_lease: true });
    await same(etcdMethods.put, { key, value: new Uint8Array(1_600_000) });
    await same(etcdMethods.put, { key, value: new Uint8Array(1_400_000) });
    await same(etcdMethods.put, { key, ignore_value: true, prev_kv: true });
    await same(etcdMethods.deleteRange, {});
    await same(etcdMethods.deleteRange, { key, prev_kv: true });
    await same(etcdMethods.leaseGrant, { ID: 7n, TTL: 9_000_000_001 });
    await same(etcdMethods.leaseGrant, { ID: 7n, TTL: 100 });
    await same(etcdMethods.leaseGrant, { ID: 7n, TTL: 100 });
    await same(etcdMethods.leaseRevoke, { ID: 8n });
    await same(etcdMethods.leaseRevoke, { ID: 7n });
    await same({ ...etcdMethods.put, path: "/etcdserverpb.KV/Steal" }, {});
    await same({ ...etcdMethods.put, path: "/etcdserverpb.Bank/Steal" }, {});
  });

  test("watches: many on one stream, each with its own filter", async () => {
    const { header } = (await put("w/0", "before")) as { header: { revision: number } };
    const streams = clients().map((client) => {
      const responses: WatchResponse[] = [];
      const stream = client.stream(etcdMethods.watch, {
        message: (response) => void responses.push(response),
        end: () => undefined,
      });
      return { responses, stream };
    });
    const range = { key: bytes("w/"), range_end: bytes("w0") };
    const creations = [
      { ...range, start_revision: header.revision, prev_kv: true },
      { ...range, filters: [watchFilters.noPut] },
      { ...range, filters: [watchFilters.noDelete], watch_id: 77 },
      { ...range, watch_id: 77 },
      { key: bytes("z"), range_end: bytes("a") },
      { key: bytes("w/1"), start_revision: header.revision + 3 },
      { key: bytes("w/1"), progress_notify: true, fragment: true },
    ];
    for (const { stream, responses } of streams) {
      for (const create_request of creations) stream.send({ create_request });
      await expect
        .poll(() => responses.filter(({ created }) => created).length)
        .toBe(creations.length);
    }
    await put("w/1", "1");
    await put("w/2", "1");
    await put("w/1", "2");
    await txn({ success: [putOp("w/3", "3"), deleteOp("w/1"), putOp("x", "")] });
    for (const { stream } of streams) stream.send({ cancel_request: { watch_id: 77 } });
    for (const { responses } of streams)
      await expect
        .poll(() => responses.some(({ watch_id, canceled }) => watch_id === 77 && canceled))
        .toBe(true);
    await put("w/4", "4");
    for (const { stream, responses } of streams) {
      await expect.poll(() => told(responses).get(0)?.length).toBe(7);
      stream.send({ progress_request: {} });
      await expect.poll(() => responses.at(-1)?.watch_id).toBe(-1);
    }
    const [wanted, got] = streams.map(({ responses }) => ({
      told: [...told(responses)].sort(([a], [b]) => a - b),
      created: responses.filter(({ created }) => created).map(readable),
      progress: readable(responses.at(-1)),
    }));
    expect(got).toEqual(wanted);
    for (const { stream } of streams) stream.cancel();
  });
});

/** The events of each watch, in order. */
function told(responses: readonly WatchResponse[]): Map<number, unknown[]> {
  const byWatch = new Map<number, unknown[]>();
  for (const { watch_id, events } of responses) {
    if (events.length === 0) continue;
    byWatch.set(watch_id, [...(byWatch.get(watch_id) ?? []), ...events.map(readable)]);
  }
  return byWatch;
}
