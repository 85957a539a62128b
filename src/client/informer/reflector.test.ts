import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createClient } from "../client.ts";
import { type Transport, TransportError, type TransportResponse } from "../transport.ts";
import type { Informer } from "./informer-options.ts";
import { createInformers } from "./informers.ts";

/** Responds to one request after the other; the last response is repeated. */
type Answer = (signal: AbortSignal | undefined) => Promise<TransportResponse> | TransportResponse;

test("paged lists: first from version 0, then not older than the cache, then the latest", async () => {
  const { calls, informer, clock } = runReflector(
    refusal(422, "Invalid"),
    list("10", "a"),
    events({ type: "ERROR", object: status(410, "Expired") }),
    refusal(410, "Expired"),
    list("20", "b"),
    open(),
  );
  await informer.synced();
  await clock.advance(5_000);
  expect(calls.map(({ query }) => query)).toEqual([
    "watch=true&timeoutSeconds=N&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&sendInitialEvents=true",
    "resourceVersion=0&limit=500",
    "watch=true&resourceVersion=10&timeoutSeconds=N&allowWatchBookmarks=true",
    "resourceVersion=10",
    "limit=500",
    "watch=true&resourceVersion=20&timeoutSeconds=N&allowWatchBookmarks=true",
  ]);
  expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(["b"]);
  expect(informer.health).toMatchObject({ lists: 2, resumes: 0, changesFoundByRelist: 2 });
});

test("if the version expires between two pages, everything is listed in one request", async () => {
  const { calls, informer } = runReflector(
    refusal(400, "BadRequest"),
    list("10", "a", "more"),
    refusal(410, "Expired"),
    list("12", "b"),
    open(),
  );
  await informer.synced();
  expect(calls.slice(1, 4).map(({ query }) => query)).toEqual([
    "resourceVersion=0&limit=500",
    "limit=500&continue=more",
    "resourceVersion=0",
  ]);
  expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(["b"]);
});

test("a streaming list is not older than the cache, and restarts from the latest version if that is expired", async () => {
  const { calls, informer, clock } = runReflector(
    events(added("a", "3"), closing("10"), { type: "ERROR", object: status(410, "Expired") }),
    refusal(410, "Expired"),
    events(added("b", "15"), closing("20")),
    open(),
  );
  await informer.synced();
  await clock.advance(5_000);
  const minVersion = calls.map(({ query }) => new URLSearchParams(query).get("resourceVersion"));
  expect(minVersion).toEqual([null, "10", null, "20"]);
  expect(calls.slice(0, 3).every(({ query }) => query.includes("sendInitialEvents=true"))).toBe(
    true,
  );
  expect(informer.health).toMatchObject({ lists: 2, resumes: 1, changesFoundByRelist: 2 });
});

test("a server that treats a streaming list as a watch gets paged lists from then on", async () => {
  const { calls, informer } = runReflector(
    events(added("a", "3"), bookmark("10")),
    list("10", "a"),
    open(),
  );
  await informer.synced();
  expect(calls[1]?.query).toBe("resourceVersion=0&limit=500");
});

test("watches resume from the last version, bookmarks included, and last five to ten minutes", async () => {
  const { calls, informer, clock } = runReflector(
    events(closing("10"), added("a", "12"), bookmark("40")),
    events(added("b", "41")),
    open(),
  );
  await informer.synced();
  await clock.advance(0);
  const queries = calls.map(({ query }) => new URLSearchParams(query));
  expect(queries.map((query) => query.get("resourceVersion"))).toEqual([null, "40", "41"]);
  for (const { timeout } of calls) {
    expect(timeout).toBeGreaterThanOrEqual(300);
    expect(timeout).toBeLessThan(600);
  }
});

test("a watch without any event is aborted and resumed", async () => {
  const { calls, informer, clock } = runReflector(silent(closing("10"), bookmark("15")), open());
  await informer.synced();
  await clock.advance(140_000);
  expect([calls.length, informer.health.stalls]).toEqual([1, 0]);
  await clock.advance(70_000);
  expect(calls.map(({ query }) => new URLSearchParams(query).get("resourceVersion"))).toEqual([
    null,
    "15",
  ]);
  expect(informer.health).toMatchObject({ stalls: 1, lists: 1, resumes: 1, state: "watching" });
});

test("a list that does not arrive is aborted, and the next one has a longer timeout", async () => {
  const { calls, informer, clock } = runReflector(refusal(405, "MethodNotAllowed"), never);
  await clock.advance(150_001);
  expect(informer.health).toMatchObject({ stalls: 1, state: "waiting" });
  await clock.advance(250_000);
  expect([calls.length, informer.health.stalls]).toEqual([3, 1]);
  await clock.advance(60_000);
  expect(informer.health.stalls).toBe(2);
});

test("consecutive failures back off from 0.8 s to 30 s, with jitter", async () => {
  const { calls, clock } = runReflector(() => {
    throw new TransportError("nobody is there");
  });
  await clock.advance(110_000);
  const waits = calls.slice(1).map(({ at }, i) => at - (calls[i]?.at ?? 0));
  for (const [i, wait] of waits.entries()) {
    const least = Math.min(800 * 2 ** i, 30_000);
    expect(wait).toBeGreaterThanOrEqual(least);
    expect(wait).toBeLessThan(2 * least);
  }
  expect(waits.length).toBeGreaterThanOrEqual(5);
});

test("Retry-After of the server is respected", async () => {
  const { calls, clock } = runReflector(
    events(closing("10")),
    () => answer(429, { ...status(429, "TooManyRequests"), details: { retryAfterSeconds: 45 } }),
    open(),
  );
  await clock.advance(46_000);
  expect((calls[2]?.at ?? 0) - (calls[1]?.at ?? 0)).toBe(45_000);
});

test("watches that end at once without events are errors", async () => {
  const { calls, informer, clock } = runReflector(events(closing("10")), events(), open());
  await informer.synced();
  await clock.advance(0);
  expect(calls).toHaveLength(2);
  expect(informer.health.state).toBe("waiting");
  expect(String(informer.health.lastError)).toContain("watch lasted less than a second");
  await clock.advance(1600);
  expect(calls).toHaveLength(3);
});

test("a restored server sends nothing: its version is requested, and objects are relisted", async () => {
  const { calls, informer, clock } = runReflector(
    events(added("a", "100"), closing("1000")),
    silent(),
    silent(),
    list("500", "b"),
    events(added("b", "500"), closing("500")),
    open(),
  );
  await informer.synced();
  await clock.advance(410_000);
  expect(calls[3]?.query).toBe("limit=1");
  expect(new URLSearchParams(calls[4]?.query).get("resourceVersion")).toBe(null);
  expect([informer.resourceVersion, informer.list().map(({ metadata }) => metadata.name)]).toEqual([
    "500",
    ["b"],
  ]);
});

test("setting the clock back or ahead has no lasting effect", async () => {
  const { calls, informer, clock, jump } = runReflector(
    silent(closing("10")),
    silent(bookmark("11")),
    open(),
  );
  await informer.synced();
  jump(-86_400_000);
  await clock.advance(210_000);
  expect([calls.length, informer.health.stalls]).toEqual([2, 1]);
  jump(86_400_000 * 2);
  await clock.advance(51_000);
  expect([calls.length, informer.health.stalls]).toEqual([3, 2]);
});

function runReflector(...answers: readonly Answer[]): {
  readonly calls: { readonly query: string; readonly timeout: number; readonly at: number }[];
  readonly informer: Informer<ConfigMap>;
  readonly clock: VirtualClock;
  readonly jump: (ms: number) => void;
} {
  const virtual = new VirtualClock(1_000_000);
  let offset = 0;
  const clock = {
    now: () => virtual.now() + offset,
    setTimer: (ms: number, fire: () => void) => virtual.setTimer(ms, fire),
  };
  const calls: { query: string; timeout: number; at: number }[] = [];
  const transport: Transport = async ({ query, signal }) => {
    const next = answers[Math.min(calls.length, answers.length - 1)] as Answer;
    const timeout = Number(new URLSearchParams(query).get("timeoutSeconds"));
    const plain = query.replace(/timeoutSeconds=\d+/, "timeoutSeconds=N");
    calls.push({ query: plain, timeout, at: virtual.now() });
    return await next(signal);
  };
  const client = createClient(transport, { clock, retry: { maxRetries: 0 } });
  const informers = createInformers({ client, clock, random: new SeededRandom(7) });
  const jump = (ms: number): void => {
    offset += ms;
  };
  return { calls, informer: informers.of(ConfigMap), clock: virtual, jump };
}

const object = (name: string, resourceVersion: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", uid: `uid of ${name}`, resourceVersion },
});
const added = (name: string, version: string) => ({ type: "ADDED", object: object(name, version) });
const bookmark = (resourceVersion: string) => ({
  type: "BOOKMARK",
  object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion } },
});
const closing = (resourceVersion: string) => ({
  type: "BOOKMARK",
  object: {
    metadata: { resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } },
  },
});
const status = (code: number, reason: string) => ({ kind: "Status", code, reason, message: "no" });

const answer = (code: number, value: unknown): TransportResponse => ({
  status: code,
  headers: {},
  value: async () => value,
  values: async function* () {
    yield [value];
  },
  bytes: async function* () {},
});
const refusal =
  (code: number, reason: string): Answer =>
  () =>
    answer(code, status(code, reason));
const list =
  (resourceVersion: string, name: string, more?: string): Answer =>
  () =>
    answer(200, {
      kind: "ConfigMapList",
      metadata: { resourceVersion, ...(more && { continue: more }) },
      items: [object(name, resourceVersion)],
    });

/** Sends events and ends. */
const events =
  (...delivered: readonly object[]): Answer =>
  () => ({
    ...answer(200, undefined),
    async *values() {
      if (delivered.length > 0) yield delivered;
    },
  });

/** Sends events and then nothing more. */
const silent =
  (...delivered: readonly object[]): Answer =>
  (signal) => ({
    ...answer(200, undefined),
    async *values() {
      if (delivered.length > 0) yield delivered;
      await never(signal);
    },
  });
const open = (): Answer => silent();

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
