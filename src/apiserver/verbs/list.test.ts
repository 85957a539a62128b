import { expect, test } from "vitest";
import { ObjectReader } from "../objects/reader.ts";
import { listOptions, Query } from "../request/query.ts";
import { WatchCache } from "../watch/watch-cache.ts";
import { removeObject } from "./delete.ts";
import { type ListPage, list, prefixOf } from "./list.ts";
import { selectionOf } from "./selection.ts";
import {
  addressOf,
  configMapKind,
  coreKind,
  openParts,
  resources,
  type TestParts,
  write,
} from "./verb-parts.test-support.ts";

function ask(parts: TestParts, query = "", namespace = "default"): Promise<ListPage> {
  const options = listOptions(new Query(query));
  const selection = selectionOf(configMapKind, options);
  return list(parts.reader, { kind: configMapKind, namespace, options, selection });
}
const names = ({ objects }: ListPage) => objects.map(({ object }) => object.metadata.name);

test("list: an object selected by name is found in any namespace", async () => {
  const parts = await openParts();
  for (const name of ["a", "b"]) await write(parts, configMapKind, name);
  const named = "fieldSelector=metadata.name%3Db";
  expect([
    names(await ask(parts, named)),
    names(await ask(parts, named, "")),
    names(await ask(parts, named, "other")),
    names(await ask(parts, `${named}&labelSelector=x`)),
  ]).toEqual([["b"], ["b"], [], []]);
});

test("list: a page that ends with the last object has no next one", async () => {
  const parts = await openParts();
  for (const name of ["a", "b"]) await write(parts, configMapKind, name);
  expect((await ask(parts, "limit=2")).metadata).toEqual({ resourceVersion: "3" });
  const first = await ask(parts, "limit=1");
  const last = await ask(parts, `limit=1&continue=${first.metadata.continue}`);
  expect([names(last), last.metadata]).toEqual([["b"], { resourceVersion: "3" }]);
});

test("list: a full page has a next page, although that may be empty", async () => {
  const parts = await openParts();
  for (const name of ["a", "b"]) await write(parts, configMapKind, name);
  const first = await ask(parts, "limit=1&fieldSelector=metadata.name%21%3Db", "");
  expect([names(first), first.metadata.continue]).toEqual([["a"], expect.any(String)]);
  const next = `limit=1&fieldSelector=metadata.name%21%3Db&continue=${first.metadata.continue}`;
  expect(names(await ask(parts, next, ""))).toEqual([]);
});

test("list: resourceVersion 0 ignores the limit", async () => {
  const parts = await openParts();
  for (const name of ["a", "b"]) await write(parts, configMapKind, name);
  const { objects, metadata } = await ask(parts, "limit=1&resourceVersion=0");
  expect([objects.length, metadata]).toEqual([2, { resourceVersion: "3" }]);
});

test("list: objects are read from the store if the cache does not catch up in time", async () => {
  const parts = await openParts();
  const { key } = await write(parts, configMapKind, "a");
  const value = (await parts.store.get(key))?.value ?? new Uint8Array();
  parts.reader.cache.close();
  await parts.store.commit([{ type: "put", key: key.replace(/a$/, "z"), value }]);
  const answers = [
    ask(parts),
    ask(parts, "limit=1"),
    parts.reader.find(addressOf(configMapKind, "z")),
  ] as const;
  await parts.clock.advance(3000);
  const [all, page, one] = await Promise.all(answers);
  expect([all.objects.length, all.metadata]).toEqual([2, { resourceVersion: "3" }]);
  expect([page.objects.length, page.metadata.remainingItemCount, one?.revision]).toEqual([1, 1, 3]);
});

test("list: a continuation takes no version beside its own", async () => {
  const parts = await openParts();
  for (const name of ["a", "b"]) await write(parts, configMapKind, name);
  const { metadata } = await ask(parts, "limit=1");
  await expect(ask(parts, `continue=${metadata.continue}&resourceVersion=5`)).rejects.toThrow(
    "specifying resource version is not allowed when using continue",
  );
});

/** All pages of a list; `between` runs before each page after the first. */
async function pages(
  parts: TestParts,
  query: string,
  between: () => Promise<unknown>,
): Promise<ListPage[]> {
  const all = [await ask(parts, query)];
  for (;;) {
    const { continue: token } = (all.at(-1) as ListPage).metadata;
    if (token === undefined) return all;
    await between();
    all.push(await ask(parts, `${query}&continue=${token}`));
  }
}

/** Counts the lists that are read from the store. */
function countStoreLists({ store }: TestParts): () => number {
  let lists = 0;
  const { list: read } = store;
  store.list = (...args) => {
    lists++;
    return read.apply(store, args);
  };
  return () => lists;
}

test("list: all pages show the objects that the first one saw, and the store is not read for them", async () => {
  const parts = await openParts();
  const lists = countStoreLists(parts);
  for (const name of ["a", "c", "e", "g"]) await write(parts, configMapKind, name);
  const before = (await ask(parts)).objects;
  let changes = 0;
  const all = await pages(parts, "limit=1", async () => {
    await write(parts, configMapKind, `f${changes++}`);
    for (const name of ["c", "g"]) await write(parts, configMapKind, name, { data: { k: "v" } });
    if (changes === 1) await removeObject(parts, addressOf(configMapKind, "e"), 4);
  });
  expect(all.map(({ objects, metadata }) => [...objects, metadata])).toEqual([
    [before[0], expect.objectContaining({ resourceVersion: "5", remainingItemCount: 3 })],
    [before[1], expect.objectContaining({ resourceVersion: "5", remainingItemCount: 2 })],
    [before[2], expect.objectContaining({ resourceVersion: "5", remainingItemCount: 1 })],
    [before[3], { resourceVersion: "5" }],
  ]);
  // They are the objects of the cache, which are decoded and encoded once.
  expect(all.flatMap(({ objects }) => objects).map((object, n) => object === before[n])).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(lists()).toEqual(0);
});

test("list: pages whose snapshot is gone are read from the store, and are the same", async () => {
  const parts = await openParts();
  const lists = countStoreLists(parts);
  for (const name of ["a", "c", "e"]) await write(parts, configMapKind, name);
  const all = await pages(parts, "limit=1", async () => {
    await parts.clock.advance(120_000);
    await write(parts, configMapKind, "d");
  });
  expect(all.map((page) => [names(page), page.metadata.remainingItemCount])).toEqual([
    [["a"], 2],
    [["c"], 1],
    [["e"], undefined],
  ]);
  expect([lists(), new Set(all.map(({ metadata }) => metadata.resourceVersion)).size]).toEqual([
    2, 1,
  ]);
});

test("list: pages of a selection are the same from the cache and from the store", async () => {
  const parts = await openParts();
  for (const name of ["a", "b", "c", "d", "e"])
    await write(parts, configMapKind, name, { data: { k: "v" } });
  const query = "limit=2&fieldSelector=metadata.name%21%3Db";
  const unchanged = await pages(parts, query, async () => {});
  const fromStore = await pages(parts, query, async () => {
    await parts.clock.advance(120_000);
    await write(parts, configMapKind, "bb");
  });
  expect(unchanged.map(names)).toEqual([
    ["a", "c"],
    ["d", "e"],
  ]);
  expect(fromStore.map(names)).toEqual([
    ["a", "c"],
    ["d", "e"],
  ]);
  expect(unchanged.map(({ metadata }) => Object.keys(metadata))).toEqual(
    fromStore.map(({ metadata }) => Object.keys(metadata)),
  );
});

test("list: a compacted version is expired, whether or not the cache still has it", async () => {
  for (const isChanged of [false, true]) {
    const parts = await openParts();
    for (const name of ["a", "b"]) await write(parts, configMapKind, name);
    const { metadata } = await ask(parts, "limit=1");
    await write(parts, isChanged ? configMapKind : coreKind("ServiceAccount"), "other");
    await parts.store.compact(await parts.store.currentRevision());
    await expect(ask(parts, `limit=1&continue=${metadata.continue}`)).rejects.toMatchObject({
      reason: "Expired",
      message: expect.stringContaining("The provided continue parameter is too old"),
    });
    const exact = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
    await expect(ask(parts, exact)).rejects.toThrow("The resourceVersion for the provided list");
  }
});

test("list: pages of a namespace and of all namespaces are kept apart", async () => {
  const parts = await openParts();
  for (const name of ["a", "b", "c"]) await write(parts, configMapKind, name);
  const own = await ask(parts, "limit=1");
  const all = await ask(parts, "limit=1", "");
  await write(parts, configMapKind, "bb");
  const next = [
    await ask(parts, `limit=1&continue=${own.metadata.continue}`),
    await ask(parts, `limit=1&continue=${all.metadata.continue}`, ""),
  ];
  expect(next.map((page) => [names(page), page.metadata.remainingItemCount])).toEqual([
    [["b"], 1],
    [["b"], 1],
  ]);
});

test("list: a continue token of another server is valid", async () => {
  const first = await openParts();
  for (const name of ["a", "b", "c"]) await write(first, configMapKind, name);
  const { metadata } = await ask(first, "limit=1");
  const cache = await WatchCache.open(first.store, first.clock, [configMapKind]);
  const second = {
    ...first,
    cache,
    reader: new ObjectReader({ cache, store: first.store, resources }),
  };
  const lists = countStoreLists(second);
  const next = await ask(second, `limit=1&continue=${metadata.continue}`);
  await write(first, configMapKind, "bb");
  const last = await ask(second, `limit=1&continue=${next.metadata.continue}`);
  expect([names(next), names(last), lists()]).toEqual([["b"], ["c"], 0]);
  cache.close();
});

test("prefixOf: a namespace narrows only namespaced kinds", () => {
  expect([
    prefixOf(configMapKind, ""),
    prefixOf(configMapKind, "x"),
    prefixOf(coreKind("Node"), "x"),
    prefixOf(coreKind("Service"), "x"),
  ]).toEqual([
    "/registry/configmaps/",
    "/registry/configmaps/x/",
    "/registry/minions/",
    "/registry/services/specs/x/",
  ]);
});
