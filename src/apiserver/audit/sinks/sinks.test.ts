import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { SeededRandom } from "../../../base/random.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { AuditEvent, type AuditFacts } from "../audit-event.ts";
import { type AuditSink, ignoringFailures, type LostEvents, unionSink } from "../audit-sink.ts";
import { BatchingSink, type BatchOptions } from "./batching-sink.ts";
import { logSink } from "./log-sink.ts";
import { truncatingSink } from "./truncating-sink.ts";
import { webhookSink } from "./webhook-sink.ts";

const event = (auditID: string, facts: Partial<AuditFacts> = {}): AuditEvent =>
  new AuditEvent({
    level: "RequestResponse",
    auditID,
    stage: "ResponseComplete",
    requestURI: "/api",
    verb: "get",
    user: { name: "jane", groups: ["a", "b"] },
    sourceIPs: ["10.0.0.1"],
    userAgent: 'te"st',
    received: Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 120_000,
    reached: Date.UTC(2026, 0, 2, 3, 4, 6) * 1000 + 7,
    annotations: [],
    ...facts,
  });

/** A sink that remembers the ids of its batches, and what was lost on the way. */
function recorder(taken: AuditSink["send"] = () => true) {
  const batches: string[][] = [];
  const lost: [plugin: string, message: string, ids: string[]][] = [];
  const ids = (events: readonly AuditEvent[]) => events.map(({ facts }) => facts.auditID);
  const onLost: LostEvents = (plugin, error, events) =>
    void lost.push([plugin, (error as Error).message, ids(events)]);
  const sink: AuditSink = {
    send(events) {
      batches.push(ids(events));
      return taken(events);
    },
    close: async () => {},
  };
  return { sink, batches, lost, onLost };
}

test("logSink: one line of JSON for each event, or of text", async () => {
  const lines: string[] = [];
  const output = { write: async (text: string) => void lines.push(text), close: async () => {} };
  const lost = () => {};
  await logSink({ output, format: "json", lost }).send([event("1")]);
  await logSink({ output, format: "legacy", lost }).send([
    event("2", { responseStatus: { code: 200 }, objectRef: { namespace: "x" } }),
    event("3", { user: undefined, received: Date.UTC(2026, 0, 1) * 1000 }),
  ]);
  expect(lines).toEqual([
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"1","stage":"ResponseComplete","requestURI":"/api","verb":"get","user":{"username":"jane","groups":["a","b"]},"sourceIPs":["10.0.0.1"],"userAgent":"te\\"st","requestReceivedTimestamp":"2026-01-02T03:04:05.120000Z","stageTimestamp":"2026-01-02T03:04:06.000007Z"}\n',
    '2026-01-02T03:04:05.12Z AUDIT: id="2" stage="ResponseComplete" ip="10.0.0.1" method="get" user="jane" groups="\\"a\\",\\"b\\"" as="<self>" asgroups="<lookup>" user-agent="te\\"st" namespace="x" uri="/api" response="200"\n',
    '2026-01-01T00:00:00Z AUDIT: id="3" stage="ResponseComplete" ip="10.0.0.1" method="get" user="<none>" groups="<none>" as="<self>" asgroups="<lookup>" user-agent="te\\"st" namespace="<none>" uri="/api" response="<deferred>"\n',
  ]);
});

test("logSink: an event that cannot be written is lost, and not taken", async () => {
  const { lost, onLost } = recorder();
  const full = new Error("no space");
  const output = { write: () => Promise.reject(full), close: async () => {} };
  const sink = logSink({ output, format: "json", lost: onLost });
  expect(await sink.send([event("1")])).toBe(false);
  expect(await ignoringFailures(sink).send([event("2")])).toBe(true);
  expect(await unionSink([recorder().sink, sink]).send([event("3")])).toBe(false);
  expect(lost).toEqual(["1", "2", "3"].map((id) => ["log", "no space", [id]]));
});

test("truncatingSink: objects are cut first, then events are dropped, and batches are split", () => {
  const { sink, batches, lost, onLost } = recorder();
  const kept: AuditEvent[] = [];
  const limits = { maxEventSize: 700, maxBatchSize: 900 };
  const cutting = truncatingSink(
    {
      ...sink,
      send(events) {
        kept.push(...events);
        return sink.send(events);
      },
    },
    { limits, lost: onLost },
  );
  const large = JSON.stringify("x".repeat(500));
  void cutting.send([
    event("small"),
    event("cut", { requestObject: large, responseObject: large, annotations: [["b", "1"]] }),
    event("dropped", { requestURI: large }),
    event("last"),
  ]);
  expect(batches).toEqual([["small", "cut"], ["last"]]);
  expect(lost).toEqual([["truncate", "event is too large even after truncating", ["dropped"]]]);
  expect(JSON.parse(kept[1]?.json ?? "")).toMatchObject({
    annotations: { "audit.k8s.io/truncated": "true", b: "1" },
  });
  expect(kept[1]?.json).not.toContain("Object");
});

const batching: BatchOptions = {
  bufferSize: 4,
  maxBatchSize: 2,
  maxBatchWaitMs: 1000,
  concurrent: false,
};

test("BatchingSink: full batches go at once, others after the wait", async () => {
  const clock = new VirtualClock();
  const { sink, batches, onLost } = recorder();
  const batched = new BatchingSink(sink, batching, { clock, lost: onLost });
  expect(batched.send([event("1")])).toBe(true);
  await clock.advance(999);
  expect(batches).toEqual([]);
  await clock.advance(1);
  expect(batches).toEqual([["1"]]);
  batched.send([event("2"), event("3"), event("4")]);
  await clock.advance(0);
  expect(batches.slice(1)).toEqual([["2", "3"]]);
  await batched.close();
  expect(batches.slice(2)).toEqual([["4"]]);
});

test("BatchingSink: what the buffer cannot hold is lost, and so is what comes after the end", async () => {
  const clock = new VirtualClock();
  let arrive = (_: boolean): void => {};
  const slow = new Promise<boolean>((resolve) => {
    arrive = resolve;
  });
  const { sink, lost, batches, onLost } = recorder(() => slow);
  const batched = new BatchingSink(sink, batching, { clock, lost: onLost });
  const sent = ["1", "2", "3", "4", "5", "6", "7"].map((id) => batched.send([event(id)]));
  expect(sent.every((taken) => taken === true)).toBe(true);
  await clock.advance(0);
  expect(batches).toEqual([["1", "2"]]);
  expect(lost).toEqual([["buffered", "audit buffer queue blocked", ["7"]]]);
  arrive(true);
  await batched.close();
  expect(batches.flat()).toEqual(["1", "2", "3", "4", "5", "6"]);
  batched.send([event("late")]);
  expect(lost.slice(1)).toEqual([["buffered", "audit backend shut down", ["late"]]]);
});

test("BatchingSink: a throttle allows a burst, then so many batches a second", async () => {
  const clock = new VirtualClock();
  const { sink, batches, onLost } = recorder();
  const throttled = {
    ...batching,
    bufferSize: 100,
    maxBatchSize: 1,
    throttle: { qps: 2, burst: 3 },
  };
  const batched = new BatchingSink(sink, throttled, { clock, lost: onLost });
  for (let i = 0; i < 6; i++) batched.send([event(String(i))]);
  await clock.advance(0);
  expect(batches).toHaveLength(3);
  await clock.advance(500);
  expect(batches).toHaveLength(4);
  await clock.advance(1000);
  expect(batches).toHaveLength(6);
  await batched.close();
});

each<[what: string, failures: number, taken: boolean, waited: number]>([
  ["accepted at once", 0, true, 0],
  ["accepted at the third try", 2, true, 25],
  ["never accepted", 99, false, 81.25],
])("webhookSink: a list that is %s", async (_, failures, taken, waited) => {
  const clock = new VirtualClock();
  const begun = clock.now();
  const { lost, onLost } = recorder();
  const bodies: string[] = [];
  const sink = webhookSink({
    async post(json) {
      bodies.push(json);
      if (bodies.length <= failures) throw new Error("refused");
    },
    initialBackoffMs: 10_000,
    signal: new AbortController().signal,
    clock,
    random: new SeededRandom(1),
    lost: onLost,
    close: () => {},
  });
  const outcome = sink.send([event("1"), event("2")]);
  let ended = 0;
  void Promise.resolve(outcome).then(() => {
    ended = clock.now();
  });
  await clock.advance(200_000);
  expect(await outcome).toBe(taken);
  const seconds = (ended - begun) / 1000;
  expect(seconds).toBeGreaterThanOrEqual(waited);
  expect(seconds).toBeLessThanOrEqual(waited * 1.2);
  expect(lost).toEqual(taken ? [] : [["webhook", "refused", ["1", "2"]]]);
  const { items, ...list } = JSON.parse(bodies[0] ?? "") as { items: Record<string, unknown>[] };
  expect(list).toEqual({ kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {} });
  expect(items.map(({ auditID, kind }) => [auditID, kind])).toEqual([
    ["1", undefined],
    ["2", undefined],
  ]);
});
