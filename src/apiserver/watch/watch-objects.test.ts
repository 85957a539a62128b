import { expect, test } from "vitest";
import { listOptions, Query } from "../request/query.ts";
import { removeObject } from "../verbs/delete.ts";
import { selectionOf } from "../verbs/selection.ts";
import {
  addressOf,
  configMapKind,
  openParts,
  type TestParts,
  write,
} from "../verbs/verb-parts.test-support.ts";
import { watchStream } from "./watch-objects.ts";

/** A client that takes as many chunks as it has room for. */
function client(room: number) {
  const seen: string[] = [];
  let drain = () => {};
  return {
    seen,
    sink: {
      write(chunk: Uint8Array | string) {
        seen.push(String(chunk));
        return --room > 0;
      },
      end: () => void seen.push("end"),
      onDrain(resume: () => void) {
        drain = resume;
      },
    },
    /** Makes room for more events, and resumes the watch. */
    take(more: number) {
      room = more;
      drain();
    },
  };
}

function watch(parts: TestParts, query: string, room = 1000) {
  const options = listOptions(new Query(`watch=1&${query}`));
  const body = watchStream(parts, {
    kind: configMapKind,
    namespace: "default",
    selection: selectionOf(configMapKind, options),
    options,
    timeoutMs: 100_000,
    encoding: {
      contentType: "text/plain",
      isText: true,
      event: (type, { object }) =>
        `${type} ${object.metadata.name}@${object.metadata.resourceVersion}`,
      bookmark: (revision, end) => `${end ? "initial end" : "bookmark"}@${revision}`,
      error: ({ code, message }) => `${code} ${message}`,
    },
  });
  const { sink, ...rest } = client(room);
  return { ...rest, stop: body.start(sink) };
}

const key = "/registry/configmaps/default/a";

async function updates(parts: TestParts, count: number): Promise<void> {
  const value = (await parts.reader.store.get(key))?.value ?? new Uint8Array();
  for (let n = 0; n < count; n++) await parts.reader.store.commit([{ type: "put", key, value }]);
}

test("watchStream: initial objects, their end, and changes come in this order", async () => {
  const parts = await openParts();
  await write(parts, configMapKind, "a");
  await write(parts, configMapKind, "b");
  const { seen } = watch(
    parts,
    "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
  );
  await write(parts, configMapKind, "a");
  expect(seen).toEqual(["ADDED a@2", "ADDED b@3", "initial end@3", "MODIFIED a@4"]);
});

test("watchStream: a slow client gets everything in order, once it reads", async () => {
  const parts = await openParts();
  for (const name of ["a", "b", "c"]) await write(parts, configMapKind, name);
  const slow = watch(parts, "", 1);
  await write(parts, configMapKind, "d");
  await removeObject(parts, addressOf(configMapKind, "b"), 3);
  expect(slow.seen).toEqual(["ADDED a@2"]);
  slow.take(2);
  expect(slow.seen.slice(1)).toEqual(["ADDED b@3", "ADDED c@4"]);
  slow.take(2);
  expect(slow.seen.slice(3)).toEqual(["ADDED d@5", "DELETED b@6"]);
  slow.take(5);
  await write(parts, configMapKind, "e");
  expect(slow.seen.slice(5)).toEqual(["ADDED e@7"]);
});

test("watchStream: the initial objects are those of the start, however late they are read", async () => {
  const parts = await openParts();
  await write(parts, configMapKind, "a");
  await write(parts, configMapKind, "b");
  const slow = watch(
    parts,
    "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
    1,
  );
  await write(parts, configMapKind, "b", { data: { k: "v" } });
  slow.take(9);
  expect(slow.seen).toEqual(["ADDED a@2", "ADDED b@3", "initial end@3", "MODIFIED b@4"]);
});

test("watchStream: a client that never reads is ended when its place is forgotten", async () => {
  const parts = await openParts();
  await write(parts, configMapKind, "a");
  const [slow, quick] = [
    watch(parts, "resourceVersion=2", 1),
    watch(parts, "resourceVersion=2", 9000),
  ];
  await updates(parts, 3998);
  expect(slow.seen).toEqual(["MODIFIED a@3"]);
  await updates(parts, 10);
  expect(slow.seen).toEqual(["MODIFIED a@3", "end"]);
  expect([quick.seen.length, parts.reader.cache.of(configMapKind).watchers.size]).toEqual([
    4008, 1,
  ]);
});

test("watchStream: a version before the oldest known one is expired", async () => {
  const parts = await openParts();
  await write(parts, configMapKind, "a");
  await updates(parts, 4000);
  expect([
    watch(parts, "resourceVersion=2000").seen,
    watch(parts, "resourceVersion=2001", 9000).seen.length,
  ]).toEqual([["410 too old resource version: 2000 (2001)", "end"], 2001]);
});

test("watchStream: bookmarks are sent every minute if the revision has changed", async () => {
  const parts = await openParts();
  const { seen } = watch(parts, "resourceVersion=1&allowWatchBookmarks=1");
  await parts.clock.advance(60_000);
  await write(parts, configMapKind, "a");
  await parts.clock.advance(30_000);
  expect(seen).toEqual(["bookmark@1", "ADDED a@2"]);
  await parts.clock.advance(9_000);
  expect(seen).toEqual(["bookmark@1", "ADDED a@2"]);
});

test("watchStream: a client that is behind is sent no bookmark", async () => {
  const parts = await openParts();
  const { seen } = watch(parts, "resourceVersion=1&allowWatchBookmarks=1", 1);
  await write(parts, configMapKind, "a");
  await write(parts, configMapKind, "b");
  await parts.clock.advance(60_000);
  expect(seen).toEqual(["ADDED a@2"]);
});

test("watchStream: its time ends it, and stopping it leaves nothing behind", async () => {
  const parts = await openParts();
  const timed = watch(parts, "resourceVersion=1&allowWatchBookmarks=1");
  const stopped = watch(parts, "resourceVersion=1&allowWatchBookmarks=1");
  stopped.stop();
  await write(parts, configMapKind, "a");
  await parts.clock.advance(100_000);
  expect([timed.seen, stopped.seen]).toEqual([["ADDED a@2", "bookmark@2", "end"], []]);
  expect([parts.clock.pending, parts.reader.cache.of(configMapKind).watchers.size]).toEqual([0, 0]);
});
