import { expect } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Client } from "../client.ts";
import type { ObjectList } from "../object-list.ts";
import { eachItem, listAll } from "../pages.ts";
import { type KubernetesObject, metadataOnly } from "../resource-kind.ts";
import type { ClientTest } from "./client-suite.ts";

const names = ({ items }: ObjectList<KubernetesObject>) =>
  items.map(({ metadata }) => metadata.name);
const namespace = "default";

async function createAll(client: Client, wanted: readonly string[]): Promise<string> {
  let version = "";
  for (const name of wanted) {
    const labels = { name, parity: wanted.indexOf(name) % 2 === 0 ? "even" : "odd" };
    const { metadata } = await client.create(ConfigMap, { metadata: { name, labels } });
    version = metadata.resourceVersion ?? "";
  }
  return version;
}

/** Tests of lists, whole and paged. */
export function listsSuite(test: ClientTest): void {
  test("a list has a resourceVersion, and its items have apiVersion and kind", async (client) => {
    const version = await createAll(client, ["a", "b"]);
    const list = await client.list(ConfigMap, { namespace });
    expect(list).toMatchObject({
      kind: "ConfigMapList",
      apiVersion: "v1",
      items: ["a", "b"].map((name) => ({
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name },
      })),
    });
    expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(version));
    expect((await client.list(Pod)).items).toEqual([]);
  });

  test("without a namespace, objects of all namespaces are listed", async (client) => {
    await client.create(Namespace, { metadata: { name: "other" } });
    await client.create(ConfigMap, { metadata: { name: "x", namespace: "other" } });
    await client.create(ConfigMap, { metadata: { name: "x" } });
    const { items } = await client.list(ConfigMap, { fieldSelector: { "metadata.name": "x" } });
    expect(items.map(({ metadata }) => metadata.namespace)).toEqual(["default", "other"]);
  });

  test("selectors are text or required values", async (client) => {
    await createAll(client, ["a", "b", "c"]);
    const listed = async (options: object) =>
      names(await client.list(ConfigMap, { namespace, ...options }));
    expect(await listed({ labelSelector: { parity: "even", name: "c" } })).toEqual(["c"]);
    expect(await listed({ labelSelector: {} })).toEqual(["a", "b", "c"]);
    expect(await listed({ labelSelector: "name in (a,b),parity!=odd" })).toEqual(["a"]);
    expect(await listed({ fieldSelector: { "metadata.name": "b" } })).toEqual(["b"]);
    expect(await listed({ fieldSelector: "metadata.name!=b" })).toEqual(["a", "c"]);
    const bad = client.list(ConfigMap, { labelSelector: "a in" });
    await expect(bad).rejects.toMatchObject({ reason: "BadRequest" });
  });

  test("the pages of a list are consistent", async (client) => {
    await createAll(client, ["a", "b", "c", "d", "e"]);
    const first = await client.list(ConfigMap, { namespace, limit: 2 });
    expect([names(first), first.metadata.remainingItemCount]).toEqual([["a", "b"], 3]);
    await client.delete(ConfigMap, { name: "d" });
    const { continue: token } = first.metadata;
    const rest = await client.list(ConfigMap, { namespace, limit: 5, continue: token });
    expect(names(rest)).toEqual(["c", "d", "e"]);
    expect(rest.metadata.continue).toBeUndefined();
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const all = await listAll(client, ConfigMap, { namespace, limit: 2 });
    expect(names(all)).toEqual(["a", "b", "c", "e"]);
    const seen: (string | undefined)[] = [];
    for await (const { metadata } of eachItem(client, ConfigMap, { namespace, limit: 1 }))
      seen.push(metadata.name);
    expect(seen).toEqual(["a", "b", "c", "e"]);
  });

  test("a list can be of a version, or not older than one", async (client) => {
    const version = await createAll(client, ["a", "b"]);
    await createAll(client, ["c"]);
    const exact = { resourceVersion: version, resourceVersionMatch: "Exact" } as const;
    const old = await client.list(ConfigMap, { namespace, ...exact });
    expect([names(old), old.metadata.resourceVersion]).toEqual([["a", "b"], version]);
    const newer = { resourceVersion: version, resourceVersionMatch: "NotOlderThan" } as const;
    expect(names(await client.list(ConfigMap, { namespace, ...newer }))).toEqual(["a", "b", "c"]);
    const whatever = await client.list(ConfigMap, { namespace, resourceVersion: "0" });
    expect(names(whatever)).toEqual(["a", "b", "c"]);
    const match = client.list(ConfigMap, { namespace, resourceVersionMatch: "Exact" });
    await expect(match).rejects.toMatchObject({ reason: "Invalid" });
    const timely = await client.list(ConfigMap, { namespace, timeoutSeconds: 10 });
    expect(timely.items.length).toBe(3);
  });

  test("a metadata-only list contains PartialObjectMetadata", async (client) => {
    await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
    const list = await client.list(metadataOnly(ConfigMap), { namespace });
    expect(list).toMatchObject({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      items: [
        { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } },
      ],
    });
    expect(list.items[0]).not.toHaveProperty("data");
  });
}
