import { expect, test } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { createClient } from "./client.ts";
import { eachItem, listAll, pages } from "./pages.ts";
import {
  refused,
  type ScriptedAnswer,
  scriptedTransport,
} from "./scripted-transport.test-support.ts";

/** A client of a server with these objects; pages after `expiredAfter` are expired. */
function open(names: readonly string[], expiredAfter = Number.POSITIVE_INFINITY) {
  const answer = ({ query }: { readonly query: string }): ScriptedAnswer => {
    const asked = new URLSearchParams(query);
    const from = Number(asked.get("continue") ?? 0);
    if (from > expiredAfter) return refused(410, "Expired", "too old");
    if (from > 0 && asked.has("resourceVersion")) return refused(400, "BadRequest", "told twice");
    const to = from + Number(asked.get("limit") ?? names.length);
    const items = names.slice(from, to).map((name) => ({ metadata: { name } }));
    const rest = to < names.length ? { continue: String(to), remainingItemCount: 1 } : {};
    const metadata = { resourceVersion: "7", ...rest };
    return { body: { kind: "ConfigMapList", apiVersion: "v1", metadata, items } };
  };
  const { transport, asked } = scriptedTransport(answer);
  const client = createClient(transport, { clock: new VirtualClock(0) });
  return { client, queries: () => asked.splice(0).map(({ query }) => query) };
}
const nameOf = ({ metadata }: ConfigMap) => metadata.name;

test("pages: each continues the one before, 500 at a time, and only the first sends a resourceVersion", async () => {
  const { client, queries } = open(Array.from({ length: 1001 }, (_, n) => `c${n}`));
  const sizes: number[] = [];
  const options = { resourceVersion: "5", resourceVersionMatch: "Exact" } as const;
  for await (const { items } of pages(client, ConfigMap, options)) sizes.push(items.length);
  expect(sizes).toEqual([500, 500, 1]);
  expect(queries()).toEqual([
    "resourceVersion=5&resourceVersionMatch=Exact&limit=500",
    "limit=500&continue=500",
    "limit=500&continue=1000",
  ]);
});

test("pages: the next one is requested on demand", async () => {
  const { client, queries } = open(["a", "b", "c"]);
  const found: (string | undefined)[] = [];
  for await (const object of eachItem(client, ConfigMap, { limit: 1, labelSelector: "x" })) {
    found.push(nameOf(object));
    if (found.length === 2) break;
  }
  expect(found).toEqual(["a", "b"]);
  expect(queries()).toEqual(["labelSelector=x&limit=1", "labelSelector=x&limit=1&continue=1"]);
});

test("pages: an expired page is an error, and earlier pages stay valid", async () => {
  const { client } = open(["a", "b", "c"], 1);
  const found: (string | undefined)[] = [];
  const read = async () => {
    for await (const object of eachItem(client, ConfigMap, { limit: 1 }))
      found.push(nameOf(object));
  };
  await expect(read()).rejects.toMatchObject({ reason: "Expired" });
  expect(found).toEqual(["a", "b"]);
});

test("listAll: all pages form one list with the version of the first", async () => {
  const { client } = open(["a", "b", "c"]);
  const list = await listAll(client, ConfigMap, { limit: 2 });
  expect(list.items.map(nameOf)).toEqual(["a", "b", "c"]);
  expect(list).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
  expect(list.metadata).toEqual({ resourceVersion: "7" });
});

test("listAll: if a page expires, everything is listed in one request with the same options", async () => {
  const { client, queries } = open(["a", "b", "c"], 0);
  const { items } = await listAll(client, ConfigMap, { limit: 1, resourceVersion: "5" });
  expect(items.map(nameOf)).toEqual(["a", "b", "c"]);
  expect(queries()).toEqual([
    "resourceVersion=5&limit=1",
    "limit=1&continue=1",
    "resourceVersion=5",
  ]);
});

test("listAll: there is no such fallback if it is disabled or the first page is expired", async () => {
  const late = open(["a", "b"], 0);
  const options = { limit: 1, fullListIfExpired: false };
  await expect(listAll(late.client, ConfigMap, options)).rejects.toMatchObject({ code: 410 });
  const early = open(["a", "b"], -1);
  await expect(listAll(early.client, ConfigMap)).rejects.toMatchObject({ code: 410 });
  expect(early.queries().length).toBe(1);
});

test("listAll: a signal aborts it between pages", async () => {
  const ending = new AbortController();
  const { client } = open(["a", "b", "c"]);
  const read = async () => {
    const options = { limit: 1, signal: ending.signal };
    for await (const _ of pages(client, ConfigMap, options)) ending.abort(new Error("enough"));
  };
  await expect(read()).rejects.toThrow("enough");
});
