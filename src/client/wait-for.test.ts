import { expect, test } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { createClient } from "./client.ts";
import {
  refused,
  type ScriptedAnswer,
  scriptedTransport,
} from "./scripted-transport.test-support.ts";
import { TransportError } from "./transport.ts";
import { waitFor, waitForDeletion } from "./wait-for.ts";

const configMap = (resourceVersion: number, value: string, uid = "u1") => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "default", uid, resourceVersion: String(resourceVersion) },
  data: { value },
});
const list = (resourceVersion: number, ...items: object[]): ScriptedAnswer => ({
  body: { kind: "ConfigMapList", metadata: { resourceVersion: String(resourceVersion) }, items },
});
const watch = (
  ...events: readonly (readonly [type: string, object: object])[]
): ScriptedAnswer => ({
  async *stream() {
    yield events.map(([type, object]) => ({ type, object }));
  },
});
const broken: ScriptedAnswer = {
  // biome-ignore lint/correctness/useYield: it breaks before anything comes
  async *stream() {
    throw new TransportError("the connection broke");
  },
};

/** Waits while a server sends these responses one after the other; the clock advances as needed. */
async function wait<T>(
  answers: readonly ScriptedAnswer[],
  work: (client: ReturnType<typeof createClient>) => Promise<T>,
) {
  const clock = new VirtualClock(0);
  const left = [...answers];
  const { transport, asked } = scriptedTransport(() => {
    const next = left.shift();
    if (next === undefined) throw new Error("nobody expects another call");
    return next;
  });
  let isDone = false;
  const waiting = work(createClient(transport, { clock })).finally(() => {
    isDone = true;
  });
  const outcome = waiting.catch((error: unknown) => error);
  while (!isDone && clock.now() < 3_600_000) await clock.advance(500);
  return {
    outcome: await outcome,
    now: clock.now(),
    queries: asked.map(({ query }) => query),
    left,
    pending: clock.pending,
  };
}
const until = (value: string) => (client: ReturnType<typeof createClient>) =>
  waitFor(client, ConfigMap, { key: { name: "a" }, until: ({ data }) => data?.value === value });

test("resolves at once if the condition holds", async () => {
  const { outcome, queries, pending } = await wait([list(5, configMap(3, "x"))], until("x"));
  expect(outcome).toMatchObject({ data: { value: "x" } });
  expect(queries).toEqual(["fieldSelector=metadata.name%3Da"]);
  expect(pending).toBe(0);
});

test("watches from the version of the list, also for an object that does not exist yet", async () => {
  const { outcome, queries, pending } = await wait(
    [
      list(5),
      watch(
        ["ADDED", configMap(6, "x")],
        ["MODIFIED", configMap(7, "y")],
        ["MODIFIED", configMap(8, "z")],
      ),
    ],
    until("y"),
  );
  expect(outcome).toMatchObject({ data: { value: "y" } });
  expect(queries[1]).toBe(
    "watch=true&fieldSelector=metadata.name%3Da&resourceVersion=5&timeoutSeconds=300&allowWatchBookmarks=true",
  );
  expect(pending).toBe(0);
});

test("resumes watches that end or break, at most once a second", async () => {
  const bookmark = { kind: "ConfigMap", metadata: { resourceVersion: "9" } };
  const { outcome, queries, now } = await wait(
    [
      list(5, configMap(3, "x")),
      watch(["MODIFIED", configMap(6, "y")]),
      watch(["BOOKMARK", bookmark]),
      broken,
      refused(500, "InternalError"),
      watch(["MODIFIED", configMap(10, "z")]),
    ],
    until("z"),
  );
  expect(outcome).toMatchObject({ data: { value: "z" } });
  const versions = queries.map((query) => new URLSearchParams(query).get("resourceVersion"));
  expect(versions).toEqual([null, "5", "6", "9", "9", "9"]);
  expect(now).toBe(4000);
});

test("relists if the version is expired", async () => {
  const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
  for (const answer of [watch(["ERROR", gone]), refused(410, "Expired")]) {
    const { outcome } = await wait(
      [list(5, configMap(3, "x")), answer, list(9, configMap(8, "y"))],
      until("y"),
    );
    expect(outcome).toMatchObject({ data: { value: "y" } });
  }
});

test("respects Retry-After", async () => {
  const slow = {
    kind: "Status",
    code: 500,
    reason: "InternalError",
    details: { retryAfterSeconds: 7 },
  };
  const { now } = await wait(
    [list(5, configMap(3, "x")), watch(["ERROR", slow]), watch(["MODIFIED", configMap(6, "y")])],
    until("y"),
  );
  expect(now).toBe(7000);
});

test("rejects if the object is deleted meanwhile", async () => {
  const ends: readonly (readonly ScriptedAnswer[])[] = [
    [watch(["DELETED", configMap(6, "x")])],
    // No watch saw the deletion.
    [refused(410, "Expired"), list(9)],
    [refused(410, "Expired"), list(9, configMap(8, "y", "u2"))],
  ];
  for (const end of ends) {
    const { outcome } = await wait([list(5, configMap(3, "x")), ...end], until("y"));
    expect(outcome).toMatchObject({ reason: "NotFound", message: 'configmaps "a" not found' });
  }
});

test("rejects on an error that a retry cannot fix", async () => {
  for (const answers of [
    [refused(403, "Forbidden", "not you")],
    [list(5, configMap(3, "x")), refused(401, "Unauthorized", "not you")],
  ]) {
    const { outcome, left } = await wait(answers, until("y"));
    expect([outcome, left]).toMatchObject([{ message: "not you" }, []]);
  }
});

test("rejects if the condition throws", async () => {
  const { outcome, pending } = await wait([list(5, configMap(3, "x"))], (client) =>
    waitFor(client, ConfigMap, {
      key: { name: "a" },
      until() {
        throw new Error("it failed");
      },
    }),
  );
  expect([outcome, pending]).toEqual([new Error("it failed"), 0]);
});

test("aborts a watch that does not end in time, and starts another", async () => {
  const clock = new VirtualClock(0);
  let watches = 0;
  const { transport } = scriptedTransport(({ query, signal }) => {
    if (!query.includes("watch=true")) return list(5, configMap(3, "x"));
    if (++watches === 2) return watch(["MODIFIED", configMap(6, "y")]);
    return {
      async *stream() {
        await new Promise((_, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    };
  });
  const waiting = until("y")(createClient(transport, { clock }));
  await clock.advance(309_000);
  expect(watches).toBe(1);
  await clock.advance(2000);
  expect(await waiting).toMatchObject({ data: { value: "y" } });
});

test("a signal aborts every kind of wait", async () => {
  for (const answers of [[list(5)], [list(5), broken]]) {
    const ending = new AbortController();
    const left = [...answers];
    const clock = new VirtualClock(0);
    const { transport } = scriptedTransport(async ({ signal }) => {
      const next = left.shift();
      if (next) return next;
      return new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    });
    const waiting = waitFor(createClient(transport, { clock }), ConfigMap, {
      key: { name: "a" },
      until: () => true,
      signal: ending.signal,
    });
    const ended = expect(waiting).rejects.toThrow("enough");
    await clock.advance(100);
    ending.abort(new Error("enough"));
    await ended;
    expect(clock.pending).toBe(0);
  }
});

test("waitForDeletion: resolves when the object is deleted or replaced by another", async () => {
  const gone = (uid?: string) => (client: ReturnType<typeof createClient>) =>
    waitForDeletion(client, ConfigMap, { key: { name: "a" }, uid });
  expect((await wait([list(5)], gone())).outcome).toBeUndefined();
  expect((await wait([list(5, configMap(3, "x", "u2"))], gone("u1"))).outcome).toBeUndefined();
  const deleted = [
    list(5, configMap(3, "x")),
    watch(["MODIFIED", configMap(6, "y")], ["DELETED", configMap(7, "y")]),
  ];
  expect((await wait(deleted, gone())).left).toEqual([]);
});
