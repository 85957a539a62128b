import { expect } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { metadataOnly } from "../resource-kind.ts";
import type { ClientTest } from "./client-suite.ts";

const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };

/** Tests of deleting one object or many. */
export function deletionSuite(test: ClientTest): void {
  test("delete resolves with undefined if the object is deleted, with the object while it is terminating", async (client) => {
    await client.create(ConfigMap, { metadata: { name: "a" } });
    expect(await client.delete(ConfigMap, { name: "a" })).toBeUndefined();
    await expect(client.delete(ConfigMap, { name: "a" })).rejects.toMatchObject({
      reason: "NotFound",
    });
    const finalizers = ["example.com/hold"];
    await client.create(ConfigMap, { metadata: { name: "b", finalizers } });
    const ending = await client.delete(ConfigMap, { name: "b" });
    expect(ending?.metadata.deletionTimestamp).toBeTypeOf("string");
    const merge = { metadata: { finalizers: null } };
    await client.patch(ConfigMap, { name: "b" }, { merge });
    await expect(client.get(ConfigMap, { name: "b" })).rejects.toMatchObject({ code: 404 });
  });

  test("deleting a metadata-only kind returns metadata", async (client) => {
    const finalizers = ["example.com/hold"];
    await client.create(ConfigMap, { metadata: { name: "a", finalizers }, data: { x: "1" } });
    const ending = await client.delete(metadataOnly(ConfigMap), { name: "a" });
    expect(ending).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
    expect(ending).not.toHaveProperty("data");
  });

  test("preconditions restrict a deletion to one object or version", async (client) => {
    const { metadata } = await client.create(ConfigMap, { metadata: { name: "a" } });
    const { uid, resourceVersion } = metadata;
    const key = { name: "a" };
    const other = client.delete(ConfigMap, key, { preconditions: { uid: "another" } });
    await expect(other).rejects.toMatchObject({ reason: "Conflict" });
    const version = { uid, resourceVersion: "1" };
    const old = client.delete(ConfigMap, key, { preconditions: version });
    await expect(old).rejects.toMatchObject({ reason: "Conflict" });
    const preconditions = { uid, resourceVersion };
    expect(await client.delete(ConfigMap, key, { preconditions })).toBeUndefined();
  });

  test("the grace period of a pod can be set, and can be zero", async (client) => {
    await client.create(Pod, { metadata: { name: "p" }, spec });
    const key = { name: "p" };
    const ending = await client.delete(Pod, key, { gracePeriodSeconds: 5 });
    expect(ending?.metadata.deletionGracePeriodSeconds).toBe(5);
    await client.delete(Pod, key, { gracePeriodSeconds: 0 });
    await expect(client.get(Pod, key)).rejects.toMatchObject({ reason: "NotFound" });
  });

  test("the propagation policy is recorded in finalizers", async (client) => {
    for (const [propagationPolicy, finalizer] of [
      ["Foreground", "foregroundDeletion"],
      ["Orphan", "orphan"],
    ] as const) {
      await client.create(ConfigMap, { metadata: { name: "a" } });
      const ending = await client.delete(ConfigMap, { name: "a" }, { propagationPolicy });
      expect(ending?.metadata.finalizers).toEqual([finalizer]);
      await client.patch(ConfigMap, { name: "a" }, { merge: { metadata: { finalizers: null } } });
    }
    await client.create(ConfigMap, { metadata: { name: "a" } });
    const background = { propagationPolicy: "Background" } as const;
    expect(await client.delete(ConfigMap, { name: "a" }, background)).toBeUndefined();
  });

  test("deleteCollection deletes the selected objects of one namespace", async (client) => {
    for (const [name, tier] of [
      ["a", "front"],
      ["b", "back"],
      ["c", "front"],
    ] as const)
      await client.create(ConfigMap, { metadata: { name, labels: { tier } } });
    const left = async () => {
      const { items } = await client.list(ConfigMap, { namespace: "default" });
      return items.map(({ metadata }) => metadata.name);
    };
    const namespace = "default";
    await client.deleteCollection(ConfigMap, { namespace, labelSelector: { tier: "back" } });
    expect(await left()).toEqual(["a", "c"]);
    await client.deleteCollection(ConfigMap, { namespace, fieldSelector: "metadata.name=c" });
    expect(await left()).toEqual(["a"]);
    const preconditions = { resourceVersion: "1" };
    const refused = client.deleteCollection(ConfigMap, { namespace, preconditions });
    await expect(refused).rejects.toMatchObject({ reason: "Conflict" });
    await client.deleteCollection(ConfigMap, { namespace, gracePeriodSeconds: 0 });
    expect(await left()).toEqual([]);
  });
}
