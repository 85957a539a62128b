import { expect } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { type KubernetesObject, metadataOnly } from "../resource-kind.ts";
import { waitFor, waitForDeletion } from "../wait-for.ts";
import { endsInitialEvents, type WatchEvent, type WatchStream } from "../watch-stream.ts";
import type { ClientTest } from "./client-suite.ts";

const namespace = "default";
const brief = ({ type, object }: WatchEvent<KubernetesObject>) =>
  type === "BOOKMARK" ? type : `${type} ${object.metadata.name}`;

/** Takes the next events of a watch and ends it. */
async function take<O extends KubernetesObject>(stream: WatchStream<O>, count: number) {
  const events: WatchEvent<O>[] = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

/** Tests of watches and of waiting for objects. */
export function watchesSuite(test: ClientTest): void {
  test("a watch sends changes after a version, in order", async (client) => {
    const { metadata } = await client.list(ConfigMap, { namespace });
    const { resourceVersion } = metadata;
    const taken = take(client.watch(ConfigMap, { namespace, resourceVersion }), 3);
    await client.create(ConfigMap, { metadata: { name: "a" } });
    await client.patch(ConfigMap, { name: "a" }, { merge: { data: { x: "1" } } });
    await client.delete(ConfigMap, { name: "a" });
    const events = await taken;
    expect(events.map(brief)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(events[1]?.object).toMatchObject({ kind: "ConfigMap", data: { x: "1" } });
  });

  test("without a version, a watch starts with existing objects", async (client) => {
    for (const name of ["a", "b"]) await client.create(ConfigMap, { metadata: { name } });
    const events = await take(client.watch(ConfigMap, { namespace }), 2);
    expect(events.map(brief)).toEqual(["ADDED a", "ADDED b"]);
  });

  test("initial events end with a bookmark", async (client) => {
    for (const name of ["a", "b"]) await client.create(ConfigMap, { metadata: { name } });
    const events = await take(client.watch(ConfigMap, { namespace, sendInitialEvents: true }), 3);
    expect(events.map(brief)).toEqual(["ADDED a", "ADDED b", "BOOKMARK"]);
    const last = events[2];
    expect(last?.type === "BOOKMARK" && endsInitialEvents(last.object)).toBe(true);
  });

  test("a watch sends only selected objects, of one namespace or of all", async (client) => {
    await client.create(Namespace, { metadata: { name: "other" } });
    for (const at of ["default", "other"])
      for (const tier of ["front", "back"]) {
        const metadata = { name: `${at}-${tier}`, namespace: at, labels: { tier } };
        await client.create(ConfigMap, { metadata });
      }
    const labelSelector = { tier: "back" };
    const all = await take(client.watch(ConfigMap, { labelSelector }), 2);
    expect(all.map(brief)).toEqual(["ADDED default-back", "ADDED other-back"]);
    const here = await take(client.watch(ConfigMap, { namespace: "other", labelSelector }), 1);
    expect(here.map(brief)).toEqual(["ADDED other-back"]);
    const fieldSelector = { "metadata.name": "default-front" };
    const one = await take(client.watch(ConfigMap, { fieldSelector }), 1);
    expect(one.map(brief)).toEqual(["ADDED default-front"]);
  });

  test("a watch ends after its timeout", async (client, { passTime }) => {
    await client.create(ConfigMap, { metadata: { name: "a" } });
    const options = { namespace, timeoutSeconds: 2, allowWatchBookmarks: false };
    const events = await passTime(take(client.watch(ConfigMap, options), 100));
    expect(events.map(brief)).toEqual(["ADDED a"]);
  });

  test("events arrive in batches, too", async (client) => {
    for (const name of ["a", "b", "c"]) await client.create(ConfigMap, { metadata: { name } });
    const seen: string[] = [];
    for await (const batch of client.watch(ConfigMap, { namespace }).batches()) {
      seen.push(...batch.map(brief));
      if (seen.length === 3) break;
    }
    expect(seen).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
  });

  test("a metadata-only watch sends metadata", async (client) => {
    await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
    const [event] = await take(client.watch(metadataOnly(ConfigMap), { namespace }), 1);
    expect(event?.object).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "a" },
    });
    expect(event?.object).not.toHaveProperty("data");
  });

  test("a signal aborts a watch with its reason, also before it has started", async (client) => {
    const ending = new AbortController();
    const { signal } = ending;
    await client.create(ConfigMap, { metadata: { name: "a" } });
    const watching = (async () => {
      for await (const _ of client.watch(ConfigMap, { namespace, signal }))
        ending.abort(new Error("enough"));
    })();
    await expect(watching).rejects.toThrow("enough");
    await expect(take(client.watch(ConfigMap, { signal }), 1)).rejects.toThrow("enough");
  });

  test("a rejected watch throws the error", async (client) => {
    const bad = take(client.watch(ConfigMap, { labelSelector: "a in" }), 1);
    await expect(bad).rejects.toMatchObject({ reason: "BadRequest" });
    const future = take(client.watch(ConfigMap, { resourceVersion: "x" }), 1);
    await expect(future).rejects.toMatchObject({ name: "StatusError" });
  });

  test("waitFor waits for a condition, waitForDeletion for the deletion", async (client) => {
    const key = { name: "a" };
    const wanted = waitFor(client, ConfigMap, { key, until: ({ data }) => data?.x === "2" });
    const { metadata } = await client.create(ConfigMap, { metadata: key, data: { x: "1" } });
    await client.patch(ConfigMap, key, { merge: { data: { x: "2" } } });
    expect(await wanted).toMatchObject({ metadata: { uid: metadata.uid }, data: { x: "2" } });
    const gone = waitForDeletion(client, ConfigMap, { key });
    let lost: Promise<void> | undefined;
    await new Promise<void>((seen) => {
      const until = ({ data }: ConfigMap) => {
        seen();
        return data?.x === "3";
      };
      const never = waitFor(client, ConfigMap, { key, until });
      lost = expect(never).rejects.toMatchObject({ reason: "NotFound" });
    });
    await client.delete(ConfigMap, key);
    await Promise.all([gone, lost]);
  });
}
