import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { admin, openServer } from "../../apiserver/in-process.test-support.ts";
import type { ApiServer } from "../../apiserver/server.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { type Client, createClient } from "../../client/client.ts";
import { dynamicKind } from "../../client/resource-kind.ts";
import { withChanges } from "../../client/with-changes.ts";
import { inProcessTransport } from "./in-process-transport.ts";

let server: ApiServer;
let client: Client;
let clock: VirtualClock;
beforeEach(async () => {
  clock = new VirtualClock(Date.UTC(2026, 0, 1));
  server = await openServer(clock);
  client = createClient(inProcessTransport(server.handle, admin), { clock });
});
afterEach(() => server.close());

test("creates, reads, updates, lists and deletes objects", async () => {
  const created = await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
  expect(created.metadata.namespace).toBe("default");
  const read = await client.get(ConfigMap, { name: "a" });
  expect(read).toEqual(created);
  const changed = withChanges(read, (draft) => {
    draft.data = { x: "2" };
  });
  await client.update(ConfigMap, changed);
  await expect(client.update(ConfigMap, changed)).rejects.toMatchObject({ reason: "Conflict" });
  const list = await client.list(ConfigMap, {
    namespace: "default",
    fieldSelector: { "metadata.name": "a" },
  });
  expect(list.items).toMatchObject([{ kind: "ConfigMap", apiVersion: "v1", data: { x: "2" } }]);
  expect(await client.delete(ConfigMap, { name: "a" })).toBeUndefined();
  await expect(client.get(ConfigMap, { name: "a" })).rejects.toMatchObject({
    reason: "NotFound",
    message: 'configmaps "a" not found',
  });
});

test("a watch sends changes, and ends when the caller stops reading", async () => {
  const ending = new AbortController();
  const { metadata } = await client.list(Namespace);
  const seen: string[] = [];
  const watching = (async () => {
    for await (const event of client.watch(Namespace, {
      resourceVersion: metadata.resourceVersion,
      signal: ending.signal,
    })) {
      if (event.type === "BOOKMARK") continue;
      seen.push(`${event.type} ${event.object.metadata.name}`);
      if (seen.length === 2) break;
    }
  })();
  await client.create(Namespace, { metadata: { name: "one" } });
  await client.patch(Namespace, { name: "one" }, { merge: { metadata: { labels: { a: "b" } } } });
  await watching;
  expect(seen).toEqual(["ADDED one", "MODIFIED one"]);
});

test("objects of short-lived kinds are not cached: each read returns another copy", async () => {
  const created = await client.create(Event, {
    metadata: { name: "a" },
    involvedObject: { kind: "Pod", name: "web", namespace: "default" },
    reason: "Started",
  } as never);
  expect(Object.isFrozen(created.involvedObject)).toBe(true);
  const read = await client.get(Event, { name: "a" });
  expect(read).toEqual(created);
  expect(read).not.toBe(created);
  expect(await client.get(Event, { name: "a" })).toBe(read);
});

test("all callers get the same frozen object", async () => {
  const before = await client.list(ConfigMap);
  const created = await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
  const read = await client.get(ConfigMap, { name: "a" });
  const {
    items: [item],
  } = await client.list(ConfigMap, { namespace: "default" });
  const all = await client.list(ConfigMap);
  expect([read === created, item === read, all.items.includes(read)]).toEqual([true, true, true]);
  for await (const { object } of client.watch(ConfigMap, before.metadata)) {
    expect(object).toBe(read);
    break;
  }
  expect([read, read.metadata, read.data, all.items].every(Object.isFrozen)).toBe(true);
  const changed = withChanges(read, (draft) => {
    draft.data = { x: "2" };
  });
  const updated = await client.update(ConfigMap, changed);
  expect(await client.get(ConfigMap, { name: "a" })).toBe(updated);
});

test("sent objects are copied: they may be frozen, or changed and sent again", async () => {
  const data: Record<string, string> = { x: "1" };
  const object = Object.freeze({ metadata: { name: "a", labels: undefined }, data });
  const created = await client.create(ConfigMap, object);
  data.x = "2";
  expect(await client.get(ConfigMap, { name: "a" })).toMatchObject({ data: { x: "1" } });
  expect(Object.keys(created.metadata)).not.toContain("labels");
  expect((await client.update(ConfigMap, object)).data).toEqual({ x: "2" });
});

const itself: Record<string, unknown> = {};
itself.itself = itself;

test.each([
  [{ x() {} }, "data.x is a function, which is no JSON"],
  [itself, expect.stringMatching("^data.itself.*exceeded max depth: .* or part of itself")],
  [{ x: 2n ** 64n }, "data.x is 18446744073709551616n, which does not fit in 64 bits"],
  [{ x: Number.NaN }, "data.x is NaN, which is no JSON"],
])("rejects a value that is not JSON: %#", async (data, message) => {
  const object = { metadata: { name: "a" }, data } as never;
  const refused = { reason: "BadRequest", code: 400, message };
  await expect(client.create(ConfigMap, object)).rejects.toMatchObject(refused);
  await client.create(ConfigMap, { metadata: { name: "a" } });
  const patch = { merge: { data } as never };
  await expect(client.patch(ConfigMap, { name: "a" }, patch)).rejects.toMatchObject(refused);
  const how = { fieldManager: "test" };
  await expect(client.apply(ConfigMap, object, how)).rejects.toMatchObject(refused);
});

test("a value of another kind or with unknown fields gets the same errors as JSON text", async () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } } as never;
  await expect(client.create(ConfigMap, pod)).rejects.toMatchObject({
    message: expect.stringContaining("Pod in version"),
  });
  const more = { metadata: { name: "a" }, more: 1 } as never;
  const how = { fieldValidation: "Strict" } as const;
  await expect(client.create(ConfigMap, more, how)).rejects.toMatchObject({
    message: expect.stringContaining('strict decoding error: unknown field "more"'),
  });
  const wrong = { metadata: { name: "a" }, data: { x: 1 } } as never;
  await expect(client.create(ConfigMap, wrong)).rejects.toMatchObject({
    message: expect.stringContaining("cannot unmarshal number into Go struct field"),
  });
});

test("accepts every type of patch as a value", async () => {
  await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
  const key = { name: "a" };
  await client.patch(ConfigMap, key, { merge: { data: { y: "2" } } });
  await client.patch(ConfigMap, key, { strategic: { data: { z: "3", x: null } } });
  await client.patch(ConfigMap, key, { json: [{ op: "add", path: "/data/w", value: "4" }] });
  const applied = { metadata: { name: "a" }, data: { v: "5" } };
  await client.apply(ConfigMap, applied, { fieldManager: "test" });
  const { data } = await client.get(ConfigMap, key);
  expect(data).toEqual({ v: "5", w: "4", y: "2", z: "3" });
});

test("custom resources are passed as values, too", async () => {
  const schema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  };
  await client.create(CustomResourceDefinition, {
    metadata: { name: "boats.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "boats", kind: "Boat" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const Boat = dynamicKind({
    group: "example.com",
    version: "v1",
    kind: "Boat",
    plural: "boats",
    scope: "Namespaced",
  });
  await clock.advance(0);
  const boat = { metadata: { name: "a" }, spec: { size: 3, colour: "red" } };
  const created = await client.create(Boat, boat);
  expect(created.spec).toEqual({ size: 3 });
  const list = await client.list(Boat);
  expect([list.kind, list.items[0] === created]).toEqual(["BoatList", true]);
  expect(await client.get(Boat, { name: "a" })).toBe(created);
});

test("responses that are not JSON are text, and any response can be read as bytes", async () => {
  const health = await client.raw({ method: "GET", path: "/healthz" });
  expect(await health.value()).toBe("ok");
  const version = await client.raw({ method: "GET", path: "/version" });
  expect(await version.value()).toMatchObject({ major: "1" });
  const yaml = { accept: "application/yaml" };
  const path = "/api/v1/namespaces/default";
  const text = await (await client.raw({ method: "GET", path, headers: yaml })).value();
  expect(text).toContain("kind: Namespace\n");
  const bytes: Uint8Array[] = [];
  for await (const chunk of (await client.raw({ method: "GET", path })).bytes()) bytes.push(chunk);
  expect(JSON.parse(Buffer.concat(bytes).toString())).toMatchObject({ kind: "Namespace" });
});

test("a call ends when its signal aborts, and leaves no listener on the signal", async () => {
  const ending = new AbortController();
  const later = client.list(ConfigMap, { resourceVersion: "1000000", signal: ending.signal });
  ending.abort(new Error("enough"));
  await expect(later).rejects.toThrow("enough");
  const living = new AbortController();
  for (let i = 0; i < 20; i++) await client.get(Namespace, { name: "default" }, living);
  for await (const _ of client.watch(Namespace, { signal: living.signal })) break;
  expect(getEventListeners(living.signal, "abort")).toEqual([]);
});
