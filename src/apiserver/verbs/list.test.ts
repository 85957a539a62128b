import { expect, test } from "vitest";
import {
  addressOf,
  configMapKind,
  coreKind,
  openRegistry,
  type TestRegistry,
  write,
} from "../objects/registry.test-support.ts";
import { find } from "../objects/registry.ts";
import { listOptions, Query } from "../request/query.ts";
import { type ListPage, list, prefixOf } from "./list.ts";
import { selectionOf } from "./selection.ts";

function ask(registry: TestRegistry, query = "", namespace = "default"): Promise<ListPage> {
  const options = listOptions(new Query(query));
  const selection = selectionOf(configMapKind, options);
  return list(registry, { kind: configMapKind, namespace, options, selection });
}
const names = ({ objects }: ListPage) => objects.map(({ object }) => object.metadata.name);

test("list: one that is named is looked up, wherever it is", async () => {
  const registry = await openRegistry();
  for (const name of ["a", "b"]) await write(registry, configMapKind, name);
  const named = "fieldSelector=metadata.name%3Db";
  expect([
    names(await ask(registry, named)),
    names(await ask(registry, named, "")),
    names(await ask(registry, named, "other")),
    names(await ask(registry, `${named}&labelSelector=x`)),
  ]).toEqual([["b"], ["b"], [], []]);
});

test("list: a page that ends with the last object has no next one", async () => {
  const registry = await openRegistry();
  for (const name of ["a", "b"]) await write(registry, configMapKind, name);
  expect((await ask(registry, "limit=2")).metadata).toEqual({ resourceVersion: "3" });
  const first = await ask(registry, "limit=1");
  const last = await ask(registry, `limit=1&continue=${first.metadata.continue}`);
  expect([names(last), last.metadata]).toEqual([["b"], { resourceVersion: "3" }]);
});

test("list: a full page has a next one though nothing that is asked for may be on it", async () => {
  const registry = await openRegistry();
  for (const name of ["a", "b"]) await write(registry, configMapKind, name);
  const first = await ask(registry, "limit=1&fieldSelector=metadata.name%21%3Db", "");
  expect([names(first), first.metadata.continue]).toEqual([["a"], expect.any(String)]);
  const next = `limit=1&fieldSelector=metadata.name%21%3Db&continue=${first.metadata.continue}`;
  expect(names(await ask(registry, next, ""))).toEqual([]);
});

test("list: whoever takes any version gets all at once", async () => {
  const registry = await openRegistry();
  for (const name of ["a", "b"]) await write(registry, configMapKind, name);
  const { objects, metadata } = await ask(registry, "limit=1&resourceVersion=0");
  expect([objects.length, metadata]).toEqual([2, { resourceVersion: "3" }]);
});

test("list: what the cache cannot show in time is read from the store", async () => {
  const registry = await openRegistry();
  const { key } = await write(registry, configMapKind, "a");
  const value = (await registry.store.get(key))?.value ?? new Uint8Array();
  registry.cache.close();
  await registry.store.commit([{ type: "put", key: key.replace(/a$/, "z"), value }]);
  const answers = [
    ask(registry),
    ask(registry, "limit=1"),
    find(registry, addressOf(configMapKind, "z")),
  ] as const;
  await registry.clock.advance(3000);
  const [all, page, one] = await Promise.all(answers);
  expect([all.objects.length, all.metadata]).toEqual([2, { resourceVersion: "3" }]);
  expect([page.objects.length, page.metadata.remainingItemCount, one?.revision]).toEqual([1, 1, 3]);
});

test("list: a continuation takes no version beside its own", async () => {
  const registry = await openRegistry();
  for (const name of ["a", "b"]) await write(registry, configMapKind, name);
  const { metadata } = await ask(registry, "limit=1");
  await expect(ask(registry, `continue=${metadata.continue}&resourceVersion=5`)).rejects.toThrow(
    "specifying resource version is not allowed when using continue",
  );
});

test("prefixOf: a namespace narrows only what lives in one", () => {
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
