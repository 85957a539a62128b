import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { EtcdFollower } from "./etcd-follower.ts";
import { allKeys } from "./etcd-keys.ts";
import type { WatchRequest, WatchResponse } from "./etcd-messages.ts";

interface OpenedStream {
  readonly from: number | undefined;
  /** The number of progress requests. */
  readonly askings: number;
  send(response: Partial<WatchResponse>): void;
  lose(): void;
  isAbandoned: boolean;
}

/** A follower from revision 5, and the streams it opens. */
async function following(asksProgress = false) {
  const clock = new VirtualClock();
  const streams: OpenedStream[] = [];
  const seen: string[] = [];
  const stream: EtcdCluster["stream"] = (_, receiver) => {
    const opened = {
      from: undefined as number | undefined,
      askings: 0,
      isAbandoned: false,
      send: (response: Partial<WatchResponse>) => receiver.message(response as never),
      lose: () => receiver.end(undefined),
    };
    streams.push(opened);
    return {
      send: (request) => {
        const { create_request, progress_request } = request as WatchRequest;
        if (create_request) opened.from = create_request.start_revision;
        if (progress_request) opened.askings++;
      },
      finish: () => {},
      cancel: () => {},
      abandon: () => {
        opened.isAbandoned = true;
      },
    };
  };
  const follower = new EtcdFollower({
    cluster: { stream },
    clock,
    range: allKeys,
    from: 5,
    asksProgress,
    currentRevision: async () => 7,
    revision: (revision, events) => void seen.push(`${revision} × ${events.length}`),
    end: ({ code, revision }) => void seen.push(`${code} ${revision}`),
  });
  onTestFinished(() => follower.stop());
  await clock.advance(0);
  return { clock, streams, seen, follower };
}

const at = (...revisions: number[]): WatchResponse["events"] =>
  revisions.map((mod_revision) => ({ kv: { mod_revision } })) as never;
const header = (revision: number) => ({ revision }) as never;

test("EtcdFollower: fragments are joined, and repeated events are dropped", async () => {
  const { streams, seen } = await following();
  const [one] = streams;
  one?.send({ created: true, header: header(9), events: [] });
  one?.send({ events: at(5, 5, 6, 7), fragment: true });
  const early = [...seen];
  one?.send({ events: at(7, 7), fragment: true });
  one?.send({ events: at(8), fragment: false });
  expect([one?.from, early, seen]).toEqual([5, [], ["6 × 1", "7 × 3", "8 × 1"]]);
});

test("EtcdFollower: a stream that breaks within a revision restarts from the previous one", async () => {
  const { clock, streams, seen } = await following();
  streams[0]?.send({ events: at(6), fragment: false });
  streams[0]?.send({ events: at(7), fragment: true });
  streams[0]?.lose();
  await clock.advance(0);
  streams[0]?.send({ events: at(9), fragment: false });
  streams[1]?.send({ events: at(6, 7, 7), fragment: false });
  expect([streams.map(({ from }) => from), seen]).toEqual([
    [5, 6],
    ["6 × 1", "7 × 2"],
  ]);
});

test("EtcdFollower: a member that does not send an awaited revision is left after two seconds", async () => {
  const { clock, streams, follower } = await following();
  await clock.advance(60_000);
  const idle = streams.length;
  let isReached = false;
  void follower.reached(6).then(() => {
    isReached = true;
  });
  await clock.advance(1900);
  const patient = streams.length;
  await clock.advance(200);
  const before = isReached;
  streams[1]?.send({ events: at(6), fragment: false });
  await clock.advance(0);
  expect([idle, patient, streams[0]?.isAbandoned, before, isReached, clock.pending]).toEqual([
    1,
    1,
    true,
    false,
    true,
    0,
  ]);
});

test("EtcdFollower: a wait ends after ten seconds, while the follower continues to retry", async () => {
  const { clock, streams, seen, follower } = await following();
  let isOver = false;
  void follower.reached(6).then(() => {
    isOver = true;
  });
  await clock.advance(9900);
  const before = isOver;
  await clock.advance(200);
  streams.at(-1)?.send({ events: at(6), fragment: false });
  expect([before, isOver, streams.length > 2, seen]).toEqual([false, true, true, ["6 × 1"]]);
});

test("EtcdFollower: ends if unseen revisions were compacted, or etcd was restored", async () => {
  const compacted = await following();
  compacted.streams[0]?.send({ canceled: true, compact_revision: 6 });
  const setBack = await following();
  setBack.streams[0]?.send({ events: at(6, 7, 8), fragment: false });
  setBack.streams[0]?.lose();
  await setBack.clock.advance(0);
  setBack.streams[1]?.send({ created: true, header: header(3), events: [] });
  await setBack.clock.advance(0);
  expect([compacted.seen, setBack.seen]).toEqual([
    ["Compacted 6"],
    ["6 × 1", "7 × 1", "8 × 1", "FutureRevision 7"],
  ]);
});

test("EtcdFollower: requests progress if needed, until the revision is reached", async () => {
  const { clock, streams, seen, follower } = await following(true);
  const [one] = streams;
  one?.send({ created: true, header: header(9), events: [] });
  await clock.advance(60_000);
  const idle = one?.askings;
  const reached: string[] = [];
  void follower.reached(7, true).then(() => reached.push("7"));
  const certain = one?.askings;
  void follower.reached(9).then(() => reached.push("9"));
  const atOnce = one?.askings;
  one?.send({ events: at(7), fragment: false });
  await clock.advance(250);
  one?.send({ header: header(8), events: [] });
  await clock.advance(0);
  expect([idle, certain, atOnce, one?.askings, reached]).toEqual([0, 0, 1, 3, ["7"]]);
  one?.send({ header: header(10), events: [] });
  await clock.advance(1000);
  expect([one?.askings, reached, seen, clock.pending]).toEqual([
    3,
    ["7", "9"],
    ["7 × 1", "8 × 0", "10 × 0"],
    0,
  ]);
});

test("EtcdFollower: a member that lags behind is left, however often it reports progress", async () => {
  const { clock, streams, follower } = await following(true);
  streams[0]?.send({ created: true, header: header(6), events: [] });
  void follower.reached(9);
  for (let round = 0; round < 30 && streams.length === 1; round++) {
    streams[0]?.send({ header: header(6), events: [] });
    await clock.advance(100);
  }
  expect([streams[0]?.isAbandoned, streams[1]?.from, streams[1]?.askings]).toEqual([true, 6, 1]);
});

test("EtcdFollower: progress notifications are ignored if they were not requested", async () => {
  const { clock, streams, seen, follower } = await following();
  streams[0]?.send({ created: true, header: header(9), events: [] });
  void follower.reached(9);
  await clock.advance(1000);
  streams[0]?.send({ header: header(9), events: [] });
  expect([seen, streams[0]?.askings]).toEqual([[], 0]);
});
