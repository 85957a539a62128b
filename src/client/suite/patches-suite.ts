import { expect } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { keyOf, metadataOnly } from "../resource-kind.ts";
import type { ClientTest } from "./client-suite.ts";

const selector = { matchLabels: { app: "web" } };
const web = (...containers: { name: string; image: string }[]) => ({
  metadata: { name: "web" },
  spec: {
    selector,
    template: { metadata: { labels: selector.matchLabels }, spec: { containers } },
  },
});
const images = ({ spec }: Deployment) =>
  spec.template.spec.containers.map(({ name, image }) => `${name}=${image}`);

/** Tests of all patch types and server-side apply. */
export function patchesSuite(test: ClientTest): void {
  test("a merge patch replaces members, and null removes them", async (client) => {
    const data = { x: "1", y: "2" };
    const object = await client.create(ConfigMap, { metadata: { name: "a" }, data });
    const merge = { data: { x: null, z: "3" } };
    const patched = await client.patch(ConfigMap, keyOf(object), { merge });
    expect(patched.data).toEqual({ y: "2", z: "3" });
  });

  test("a merge patch replaces lists, a strategic merge patch merges those with keys", async (client) => {
    await client.create(Deployment, web({ name: "a", image: "1" }, { name: "b", image: "1" }));
    const spec = { template: { spec: { containers: [{ name: "b", image: "2" }] } } };
    const strategic = await client.patch(Deployment, { name: "web" }, { strategic: { spec } });
    expect(images(strategic)).toEqual(["a=1", "b=2"]);
    const merged = await client.patch(Deployment, { name: "web" }, { merge: { spec } });
    expect(images(merged)).toEqual(["b=2"]);
  });

  test("a JSON patch applies all of its operations or none", async (client) => {
    const metadata = { name: "a", annotations: { "example.com/c": "2" } };
    const object = await client.create(ConfigMap, { metadata, data: { x: "1" } });
    const patched = await client.patch(ConfigMap, keyOf(object), {
      json: [
        { op: "test", path: "/data/x", value: "1" },
        { op: "copy", from: "/data/x", path: "/data/y" },
        { op: "replace", path: "/data/x", value: "9" },
        { op: "move", from: "/metadata/annotations/example.com~1c", path: "/data/z" },
        { op: "add", path: "/metadata/labels", value: { l: "m" } },
        { op: "remove", path: "/data/x" },
      ],
    });
    expect([patched.data, patched.metadata.labels]).toEqual([{ y: "1", z: "2" }, { l: "m" }]);
    const failing = client.patch(ConfigMap, keyOf(object), {
      json: [
        { op: "remove", path: "/data/y" },
        { op: "test", path: "/data/z", value: "other" },
      ],
    });
    await expect(failing).rejects.toMatchObject({ reason: "Invalid" });
    expect((await client.get(ConfigMap, { name: "a" })).data).toEqual({ y: "1", z: "2" });
  });

  test("a patch with a resourceVersion is only for that version", async (client) => {
    const first = await client.create(ConfigMap, { metadata: { name: "a" } });
    const { resourceVersion } = first.metadata;
    const patch = { merge: { metadata: { resourceVersion }, data: { x: "1" } } };
    await client.patch(ConfigMap, keyOf(first), patch);
    const late = client.patch(ConfigMap, keyOf(first), patch);
    await expect(late).rejects.toMatchObject({ reason: "Conflict" });
  });

  test("patching a metadata-only kind returns metadata", async (client) => {
    await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
    const merge = { metadata: { labels: { seen: "yes" } } };
    const patched = await client.patch(metadataOnly(ConfigMap), { name: "a" }, { merge });
    expect(patched).toMatchObject({ kind: "PartialObjectMetadata", metadata: merge.metadata });
    expect(patched).not.toHaveProperty("data");
  });

  test("unknown fields of a patch are rejected with strict field validation", async (client) => {
    await client.create(ConfigMap, { metadata: { name: "a" } });
    const merge = { odd: 1 } as object;
    const strict = { fieldValidation: "Strict" } as const;
    const refused = client.patch(ConfigMap, { name: "a" }, { merge }, strict);
    await expect(refused).rejects.toMatchObject({ reason: "Invalid" });
  });

  test("apply creates an object, changes its own fields, and removes those it no longer contains", async (client) => {
    const mine = { fieldManager: "mine" };
    const at = { metadata: { name: "a" } };
    const created = await client.apply(ConfigMap, { ...at, data: { x: "1", y: "2" } }, mine);
    expect(created.data).toEqual({ x: "1", y: "2" });
    const others = { merge: { data: { z: "3" } } };
    await client.patch(ConfigMap, { name: "a" }, others, { fieldManager: "others" });
    const applied = await client.apply(ConfigMap, { ...at, data: { x: "9" } }, mine);
    expect(applied.data).toEqual({ x: "9", z: "3" });
    const entries = applied.metadata.managedFields ?? [];
    expect(entries.map(({ manager, operation }) => [manager, operation])).toEqual([
      ["mine", "Apply"],
      ["others", "Update"],
    ]);
  });

  test("apply takes fields from other managers only if forced", async (client) => {
    const object = { metadata: { name: "a" }, data: { x: "1" } };
    await client.apply(ConfigMap, object, { fieldManager: "one" });
    const theirs = { ...object, data: { x: "2" } };
    const refused = client.apply(ConfigMap, theirs, { fieldManager: "two" });
    await expect(refused).rejects.toMatchObject({
      reason: "Conflict",
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "one": .data.x',
      details: {
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.x" },
        ],
      },
    });
    const forced = { fieldManager: "two", force: true };
    expect((await client.apply(ConfigMap, theirs, forced)).data).toEqual({ x: "2" });
  });

  test("apply to the status changes nothing else", async (client) => {
    const created = await client.create(Deployment, web({ name: "a", image: "1" }));
    const status = { ...web({ name: "a", image: "2" }), status: { replicas: 7 } };
    const how = { fieldManager: "mine", subresource: "status", force: true };
    const applied = await client.apply(Deployment, status, how);
    expect([images(applied), applied.status.replicas]).toEqual([["a=1"], 7]);
    expect(applied.spec).toEqual(created.spec);
  });
}
