import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { admin, openServer } from "../apiserver/in-process.test-support.ts";
import type { ApiServer } from "../apiserver/server.ts";
import { SeededRandom } from "../base/random.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { type Client, createClient } from "../client/client.ts";
import type { InformerHandler } from "../client/informer.ts";
import { createInformers, type Informers } from "../client/informers.ts";
import { inProcessTransport } from "./in-process-transport.ts";

let clock: VirtualClock;
let server: ApiServer;
let client: Client;
let informers: Informers;
beforeEach(async () => {
  clock = new VirtualClock(Date.UTC(2026, 0, 1));
  server = await openServer(clock);
  client = createClient(inProcessTransport(server.handle, admin), { clock });
  informers = createInformers({ client, clock, random: new SeededRandom(1) });
});
afterEach(() => {
  informers.close();
  server.close();
});

const write = (name: string, data: Record<string, string> = {}) =>
  client.create(ConfigMap, { metadata: { name, labels: data }, data });

function recorder(): { readonly lines: string[]; readonly handler: InformerHandler<ConfigMap> } {
  const lines: string[] = [];
  return {
    lines,
    handler: {
      added: ({ metadata }, isInitial) =>
        lines.push(`added ${metadata.name}${isInitial ? " (initial)" : ""}`),
      updated: ({ metadata, data }) => lines.push(`updated ${metadata.name} ${data?.x}`),
      deleted: ({ metadata }) => lines.push(`deleted ${metadata.name}`),
    },
  };
}

test("handlers are told of what is there and of every change, and the cache follows", async () => {
  await write("a");
  const informer = informers.of(ConfigMap, { namespace: "default" });
  const { lines, handler } = recorder();
  const registration = informer.addHandler(handler);
  expect(registration.hasSynced).toBe(false);
  await registration.synced();
  expect(lines).toEqual(["added a (initial)"]);
  await write("b");
  await client.patch(ConfigMap, { name: "b" }, { merge: { data: { x: "2" } } });
  await client.delete(ConfigMap, { name: "a" });
  const { metadata } = await write("c");
  await informer.reached(metadata.resourceVersion ?? "");
  expect(lines.slice(1)).toEqual(["added b", "updated b 2", "deleted a", "added c"]);
  expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(["b", "c"]);
  expect(informer.list()).toBe(informer.list());
  expect(informer.health).toMatchObject({ state: "watching", lists: 1, stalls: 0, healed: 0 });
});

test("who asks for the same gets the same cache, and the last one to leave ends it", async () => {
  const one = informers.of(ConfigMap, { indexers: { byX: ({ data }) => [data?.x ?? ""] } });
  const two = informers.of(ConfigMap);
  const other = informers.of(ConfigMap, { labelSelector: { x: "1" } });
  const { metadata } = await write("a", { x: "1" });
  await write("b", { x: "2" });
  await Promise.all([one.reached(metadata.resourceVersion ?? ""), other.synced()]);
  expect(two.get({ namespace: "default", name: "a" })).toBe(one.byIndex("byX", "1")[0]);
  expect(other.list().map(({ metadata }) => metadata.name)).toEqual(["a"]);
  const { lines, handler } = recorder();
  one.addHandler(handler);
  one.close();
  const { metadata: last } = await write("c");
  await two.reached(last.resourceVersion ?? "");
  expect(lines).toEqual([]);
  expect(one.health.state).toBe("closed");
  two.close();
  await expect(two.reached("999999")).rejects.toThrow("the informer is closed");
});
