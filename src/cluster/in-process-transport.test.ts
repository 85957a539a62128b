import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { admin, openServer } from "../apiserver/in-process.test-support.ts";
import type { ApiServer } from "../apiserver/server.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { type Client, createClient } from "../client/client.ts";
import { edited } from "../client/edited.ts";
import { inProcessTransport } from "./in-process-transport.ts";

let server: ApiServer;
let client: Client;
beforeEach(async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  server = await openServer(clock);
  client = createClient(inProcessTransport(server.handle, admin), { clock });
});
afterEach(() => server.close());

test("what is created can be read, changed, listed and deleted", async () => {
  const created = await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
  expect(created.metadata.namespace).toBe("default");
  const read = await client.get(ConfigMap, { name: "a" });
  expect(read).toEqual(created);
  const changed = edited(read, (draft) => {
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

test("a watch tells of changes, and ends when nobody listens any more", async () => {
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
