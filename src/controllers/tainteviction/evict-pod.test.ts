import { expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { addPod } from "../nodes.test-support.ts";
import { evictPod } from "./evict-pod.ts";

test("evictPod: only the pod with the uid is deleted, and only once", async () => {
  await using cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const { client } = cluster;
  const options = { ...cluster, signal: new AbortController().signal };
  const { metadata } = await addPod(client, "p", { node: "n" });
  const key = { namespace: "default", name: "p" };
  expect(await evictPod(options, { ...key, uid: "another" })).toBe(false);
  expect((await client.get(Pod, key)).metadata).toEqual(metadata);
  expect(await evictPod(options, { ...key, uid: metadata.uid })).toBe(true);
  const going = await client.get(Pod, key);
  expect(going.metadata.deletionTimestamp).toBeDefined();
  // Nothing is left to be said of it.
  expect(await evictPod(options, { ...key, uid: metadata.uid })).toBe(true);
  expect(await client.get(Pod, key)).toEqual(going);
  expect(await evictPod(options, { ...key, name: "q", uid: "q" })).toBe(false);
});
