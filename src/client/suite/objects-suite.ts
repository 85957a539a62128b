import { expect } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { keyOf, metadataOnly } from "../resource-kind.ts";
import { withChanges } from "../with-changes.ts";
import type { ClientTest } from "./client-suite.ts";

/** Tests of create, get and update. */
export function objectsSuite(test: ClientTest): void {
  test("create returns the object with its kind, and get returns the same", async (client) => {
    const created = await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
    expect(created).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a", namespace: "default" },
      data: { x: "1" },
    });
    expect(created.metadata.uid).toBeTypeOf("string");
    expect(await client.get(ConfigMap, keyOf(created))).toEqual(created);
    const { resourceVersion } = created.metadata;
    expect(await client.get(ConfigMap, { name: "a" }, { resourceVersion })).toEqual(created);
    expect(await client.get(ConfigMap, { name: "a" }, { resourceVersion: "0" })).toEqual(created);
  });

  test("objects are created in their own namespace, or else in the client's", async (client, harness) => {
    await client.create(Namespace, { metadata: { name: "other" } });
    const there = harness.client({ namespace: "other" });
    expect([client.namespace, there.namespace]).toEqual(["default", "other"]);
    await client.create(ConfigMap, { metadata: { name: "a", namespace: "other" } });
    await there.create(ConfigMap, { metadata: { name: "b" } });
    const { items } = await there.list(ConfigMap, { namespace: "other" });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect((await there.get(ConfigMap, { name: "a" })).metadata.namespace).toBe("other");
    const missing = client.get(ConfigMap, { name: "a" });
    await expect(missing).rejects.toMatchObject({ reason: "NotFound" });
  });

  test("generateName generates a name", async (client) => {
    const names = new Set<string | undefined>();
    for (let n = 0; n < 3; n++) {
      const { metadata } = await client.create(ConfigMap, { metadata: { generateName: "gen-" } });
      expect(metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
      names.add(metadata.name);
    }
    expect(names.size).toBe(3);
  });

  test("cluster-scoped kinds ignore the client's namespace", async (client, harness) => {
    const there = harness.client({ namespace: "elsewhere" });
    const created = await there.create(Namespace, { metadata: { name: "n" } });
    expect(created.metadata.namespace).toBeUndefined();
    expect(await client.get(Namespace, { name: "n", namespace: "ignored" })).toEqual(created);
  });

  test("names are escaped in paths", async (client) => {
    for (const name of ["a:b", "what? this=1&that#end", "plus+and;semi", "zoë ☃"]) {
      const created = await client.create(ClusterRole, { metadata: { name } });
      expect(created.metadata.name).toBe(name);
      expect((await client.get(ClusterRole, { name })).metadata.uid).toBe(created.metadata.uid);
      const labels = { merge: { metadata: { labels: { seen: "yes" } } } };
      const patched = await client.patch(ClusterRole, { name }, labels);
      expect((await client.update(ClusterRole, patched)).metadata.name).toBe(name);
      expect(await client.delete(ClusterRole, { name })).toBeUndefined();
    }
  });

  test("a request for one object needs its name", async (client) => {
    const problem = "resource name may not be empty";
    await expect(client.get(ConfigMap, { name: "" })).rejects.toThrow(problem);
    await expect(client.delete(ConfigMap, { name: "" })).rejects.toThrow(problem);
    await expect(client.update(ConfigMap, {})).rejects.toThrow(problem);
    await expect(client.patch(ConfigMap, { name: "" }, { merge: {} })).rejects.toThrow(problem);
    const nameless = client.apply(ConfigMap, {}, { fieldManager: "m" });
    await expect(nameless).rejects.toThrow(problem);
  });

  test("a name that would change the path is rejected before the request is sent", async (client) => {
    const problems = {
      ".": `invalid resource name ".": [may not be '.']`,
      "..": `invalid resource name "..": [may not be '..']`,
      "a/b": `invalid resource name "a/b": [may not contain '/']`,
      "%2e/": `invalid resource name "%2e/": [may not contain '/' may not contain '%']`,
    };
    for (const [name, problem] of Object.entries(problems))
      await expect(client.delete(ConfigMap, { name })).rejects.toThrow(problem);
    const outside = client.get(ConfigMap, { namespace: "..", name: "a" });
    await expect(outside).rejects.toThrow(`invalid namespace "..": [may not be '..']`);
    expect(() => client.subresource(ConfigMap, { name: "a" }, "../b")).toThrow(
      `invalid subresource "..": [may not be '..']`,
    );
    const nowhere = client.list(ConfigMap, { namespace: "a/b" });
    await expect(nowhere).rejects.toThrow(`invalid namespace "a/b": [may not contain '/']`);
  });

  test("an update replaces only the version that it contains", async (client) => {
    const first = await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
    const second = withChanges(first, (draft) => {
      draft.data = { y: "2" };
    });
    const updated = await client.update(ConfigMap, second);
    expect(updated.data).toEqual({ y: "2" });
    await expect(client.update(ConfigMap, second)).rejects.toMatchObject({
      reason: "Conflict",
      code: 409,
      details: { name: "a", kind: "configmaps" },
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    });
    const blind = { metadata: { name: "a" }, data: { z: "3" } };
    expect((await client.update(ConfigMap, blind)).data).toEqual({ z: "3" });
  });

  test("errors have reason, code and details", async (client) => {
    const invalid = client.create(ConfigMap, { metadata: { name: "No" } });
    await expect(invalid).rejects.toMatchObject({
      name: "StatusError",
      reason: "Invalid",
      code: 422,
      details: { kind: "ConfigMap", name: "No", causes: [{ field: "metadata.name" }] },
    });
    await client.create(ConfigMap, { metadata: { name: "a" } });
    const again = client.create(ConfigMap, { metadata: { name: "a" } });
    await expect(again).rejects.toMatchObject({
      reason: "AlreadyExists",
      code: 409,
      message: 'configmaps "a" already exists',
    });
  });

  test("a dry run stores nothing", async (client) => {
    const dryRun = true;
    const planned = await client.create(ConfigMap, { metadata: { name: "a" } }, { dryRun });
    expect(planned.metadata.uid).toBeTypeOf("string");
    await expect(client.get(ConfigMap, { name: "a" })).rejects.toMatchObject({ code: 404 });
    const real = await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
    const changed = { ...real, data: { x: "2" } };
    expect((await client.update(ConfigMap, changed, { dryRun })).data).toEqual({ x: "2" });
    const patch = { merge: { data: { x: "3" } } };
    const patched = await client.patch(ConfigMap, { name: "a" }, patch, { dryRun });
    expect(patched.data).toEqual({ x: "3" });
    const applied = { metadata: { name: "b" } };
    await client.apply(ConfigMap, applied, { fieldManager: "m", dryRun });
    await client.delete(ConfigMap, { name: "a" }, { dryRun });
    await client.deleteCollection(ConfigMap, { namespace: "default", dryRun });
    const { items } = await client.list(ConfigMap, { namespace: "default" });
    expect(items.map(({ metadata, data }) => [metadata.name, data])).toEqual([["a", { x: "1" }]]);
  });

  test("unknown fields are ignored, cause a warning, or are rejected", async (_, harness) => {
    const warnings: string[] = [];
    const client = harness.client({ onWarning: (text) => warnings.push(text) });
    const odd = (name: string) => ({ metadata: { name }, größe: 1 }) as { metadata: object };
    await client.create(ConfigMap, odd("a"), { fieldValidation: "Ignore" });
    expect(warnings).toEqual([]);
    await client.create(ConfigMap, odd("b"), { fieldValidation: "Warn" });
    await client.create(ConfigMap, odd("c"));
    expect(warnings).toEqual(['unknown field "größe"', 'unknown field "größe"']);
    const strict = client.create(ConfigMap, odd("d"), { fieldValidation: "Strict" });
    await expect(strict).rejects.toMatchObject({ reason: "BadRequest" });
  });

  test("the field manager is that of the request, or else the client's", async (client, harness) => {
    const managers = ({ metadata }: ConfigMap) => metadata.managedFields?.map((f) => f.manager);
    const own = { fieldManager: "mine" };
    const a = await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } }, own);
    expect(managers(a)).toEqual(["mine"]);
    const named = harness.client({ fieldManager: "ours" });
    const b = await named.create(ConfigMap, { metadata: { name: "b" }, data: { x: "1" } });
    expect(managers(b)).toEqual(["ours"]);
    const patch = { merge: { data: { y: "2" } } };
    expect(managers(await named.patch(ConfigMap, keyOf(a), patch))).toEqual(["mine", "ours"]);
  });

  test("a metadata-only get returns PartialObjectMetadata", async (client) => {
    const spec = { containers: [{ name: "c", image: "i" }] };
    await client.create(Pod, { metadata: { name: "p", labels: { a: "b" } }, spec });
    const found = await client.get(metadataOnly(Pod), { name: "p" });
    expect(found).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "p", labels: { a: "b" } },
    });
    expect(Object.keys(found).sort()).toEqual(["apiVersion", "kind", "metadata"]);
  });
}
