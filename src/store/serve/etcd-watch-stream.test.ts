import { once } from "node:events";
import { connect } from "node:http2";
import { afterEach, expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { GrpcFrames, grpcFrame } from "../../platform/grpc/grpc-frames.ts";
import { eventTypes, type WatchResponse } from "../etcd/etcd-messages.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import { serveEtcd } from "./serve-etcd.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const value = new Uint8Array(10);
/** The machine may be busy. */
const range = { key: Buffer.from("/w/"), range_end: Buffer.from("/w0") };

/** A watch stream on a store of its own. */
async function watching() {
  const clock = new VirtualClock();
  const store = new MemoryStore(clock);
  ends.push(() => store.close());
  const random = new SeededRandom(1);
  const served = await serveEtcd({
    ...{ store, clock, random, log: noLog, storeBytes: () => 0 },
    ...{ host: "127.0.0.1", port: 0 },
  });
  ends.push(() => served.close());
  const client = createGrpcClient({ address: `127.0.0.1:${served.port}` });
  ends.push(() => client.close());
  const responses: WatchResponse[] = [];
  let onMessage: (response: WatchResponse) => void = () => undefined;
  const stream = client.stream(etcdMethods.watch, {
    message(response) {
      responses.push(response);
      onMessage(response);
    },
    end: () => undefined,
  });
  const put = (key: string) => store.commit([{ type: "put", key, value }]);
  const listen = (to: typeof onMessage) => {
    onMessage = to;
  };
  const { port } = served;
  return { clock, store, stream, responses, put, listen, port };
}

test("progress is never ahead of events, whenever and wherever watches start", async () => {
  const { store, stream, put, listen } = await watching();
  const random = new SeededRandom(7);
  const pick = (below: number): number => Math.floor(random.next() * below);
  const starts = new Map<number, number>();
  const known = new Set<number>();
  const seen = new Map<number, number[]>();
  const touched: number[] = [];
  const progress: number[] = [];
  const faults: string[] = [];
  listen(({ watch_id, created, header, events }) => {
    const revision = header?.revision ?? 0;
    // Progress covers the watches that the client knows.
    if (created) known.add(watch_id);
    if (created) return;
    if (watch_id >= 0) {
      seen.set(watch_id, [
        ...(seen.get(watch_id) ?? []),
        ...events.map(({ kv }) => kv?.mod_revision ?? 0),
      ]);
      return;
    }
    progress.push(revision);
    for (const id of known) {
      const start = starts.get(id) ?? 0;
      const due = touched.filter((one) => one >= start && one <= revision);
      const got = seen.get(id) ?? [];
      if (got.length < due.length) faults.push(`${revision} before events of ${id}`);
    }
  });
  let asked = 0;
  for (let n = 0; n < 600; n++) {
    const isWatched = random.next() < 0.5;
    const { revision } = await put(isWatched ? `/w/${pick(20)}` : "/other");
    if (isWatched) touched.push(revision);
    if (n % 20 === 0) {
      const start = 1 + pick(revision);
      const id = 1 + starts.size;
      starts.set(id, start);
      stream.send({ create_request: { ...range, watch_id: id, start_revision: start } });
    }
    if (n % 7 === 0) {
      asked++;
      stream.send({ progress_request: {} });
    }
    if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const last = await store.currentRevision();
  await expect
    .poll(() =>
      [...starts].every(
        ([id, start]) => seen.get(id)?.length === touched.filter((one) => one >= start).length,
      ),
    )
    .toBe(true);
  await expect.poll(() => progress.length).toBe(asked);
  expect(faults).toEqual([]);
  expect(Math.max(...progress)).toBeLessThanOrEqual(last);
  // Each once, and in order.
  for (const [id, start] of starts)
    expect(seen.get(id)).toEqual(touched.filter((one) => one >= start));
});

test("a watch of a compacted revision is cancelled with the revision to continue from", async () => {
  const { store, stream, responses, put } = await watching();
  for (let n = 0; n < 5; n++) await put("/w/1");
  await store.compact(4);
  stream.send({ create_request: { ...range, start_revision: 2 } });
  await expect.poll(() => responses.length).toBe(2);
  const { canceled, compact_revision = 0 } = responses[1] ?? {};
  expect([canceled, compact_revision]).toEqual([true, 4]);
  stream.send({ create_request: { ...range, start_revision: compact_revision } });
  await expect.poll(() => toldOf(responses.slice(2))).toEqual([4, 5, 6]);
});

test("deletions of the compacted revision itself are sent, though older etcds lose them", async () => {
  const { store, stream, responses, put } = await watching();
  await put("/w/1");
  await store.commit([
    { type: "delete", key: "/w/1" },
    { type: "put", key: "/w/2", value },
  ]);
  await put("/w/3");
  await store.compact(3);
  stream.send({ create_request: { ...range, start_revision: 3, prev_kv: true } });
  await expect.poll(() => toldOf(responses)).toEqual([3, 3, 4]);
  const [deleted, made] = responses.flatMap(({ events }) => events);
  expect([deleted?.type, deleted?.prev_kv, made?.type]).toEqual([
    eventTypes.delete,
    undefined,
    eventTypes.put,
  ]);
});

/** The revisions of the events. */
const toldOf = (responses: readonly WatchResponse[]) =>
  responses.flatMap(({ events }) => events.map(({ kv }) => kv?.mod_revision));

test("progress notifications are sent periodically if requested", async () => {
  const { clock, stream, responses, put } = await watching();
  stream.send({ create_request: { ...range, progress_notify: true } });
  stream.send({ create_request: range });
  await expect.poll(() => responses.length).toBe(2);
  await put("/other");
  await clock.advance(11 * 60_000);
  await expect.poll(() => responses.length).toBe(3);
  await put("/w/1");
  await expect.poll(() => responses.length).toBe(5);
  await clock.advance(11 * 60_000);
  await clock.advance(11 * 60_000);
  await expect.poll(() => responses.length).toBe(6);
  expect(
    responses
      .slice(2)
      .map(({ watch_id, header, events }) => [watch_id, header?.revision, events.length]),
  ).toEqual([
    [0, 2, 0],
    [0, 3, 1],
    [1, 3, 1],
    [0, 3, 0],
  ]);
});

test("a large commit is fragmented if the client supports it", async () => {
  const { store, stream, responses } = await watching();
  stream.send({ create_request: { ...range, fragment: true } });
  await expect.poll(() => responses.length).toBe(1);
  const large = new Uint8Array(1_000_000);
  await store.commit(["/w/1", "/w/2", "/w/3"].map((key) => ({ type: "put", key, value: large })));
  await expect.poll(() => responses.length).toBe(4);
  expect(responses.slice(1).map(({ fragment, events }) => [fragment, events.length])).toEqual([
    [true, 1],
    [true, 1],
    [false, 1],
  ]);
});

test("a client that does not read delays no other, and receives all events later", async () => {
  const { store, stream, responses, port } = await watching();
  const session = connect(`http://127.0.0.1:${port}`);
  ends.push(() => session.destroy());
  const { watch } = etcdMethods;
  const slow = session.request({
    ":method": "POST",
    ":path": watch.path,
    "content-type": "application/grpc",
  });
  slow.write(grpcFrame(watch.request.encode({ create_request: { ...range, start_revision: 1 } })));
  await once(slow, "response");
  slow.pause();
  stream.send({ create_request: range });
  await expect.poll(() => responses.length).toBe(1);
  // More than the buffer of a store's watch, and much more than that of a connection.
  const [count, large] = [3000, new Uint8Array(4000)];
  for (let n = 0; n < count; n++) {
    await store.commit([{ type: "put", key: `/w/${n % 50}`, value: large }]);
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const all = Array.from({ length: count }, (_, n) => n + 2);
  await expect.poll(() => toldOf(responses).length).toBe(count);
  expect(toldOf(responses)).toEqual(all);
  const frames = new GrpcFrames(2 ** 24);
  const late: WatchResponse[] = [];
  slow.on("data", (piece: Buffer) => {
    for (const message of frames.add(piece)) late.push(watch.response.decode(message));
  });
  slow.resume();
  await expect.poll(() => toldOf(late).length).toBe(count);
  expect(toldOf(late)).toEqual(all);
});
