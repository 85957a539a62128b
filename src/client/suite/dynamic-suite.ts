import { expect } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { Client } from "../client.ts";
import { createDiscovery } from "../discovery/discovery.ts";
import { createRestMapper } from "../discovery/rest-mapper.ts";
import { type DynamicObject, keyOf, metadataOnly } from "../resource-kind.ts";
import { Scale } from "../subresource-kinds.ts";
import { waitFor } from "../wait-for.ts";
import { withChanges } from "../with-changes.ts";
import type { ClientTest } from "./client-suite.ts";

const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { size: { type: "integer", minimum: 0 }, colour: { type: "string" } },
      },
      status: { type: "object", properties: { size: { type: "integer" } } },
    },
  },
};
const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
const definition = (group: string, plural: string, kind: string) => ({
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, kind, shortNames: [plural.slice(0, 2)], categories: ["all", "toys"] },
    versions: ["v2", "v1"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema,
      subresources: { status: {}, scale },
    })),
  },
});

/** Creates a CustomResourceDefinition and waits until it is served. */
async function define(client: Client, group = "example.com", plural = "widgets", kind = "Widget") {
  await client.create(CustomResourceDefinition, definition(group, plural, kind));
  await waitFor(client, CustomResourceDefinition, {
    key: { name: `${plural}.${group}` },
    until: ({ status }) =>
      (status.conditions ?? []).some((c) => c.type === "Established" && c.status === "True"),
  });
}
const sizeOf = ({ spec }: DynamicObject) => (spec as { size?: number } | undefined)?.size;

/** Tests of dynamic kinds. */
export function dynamicSuite(test: ClientTest): void {
  test("served kinds are found by any of their names", async (client) => {
    const mapper = createRestMapper(createDiscovery(client));
    const found = async (text: string) => {
      const { group, version, kind, plural, scope } = await mapper.named(text);
      return [group, version, kind, plural, scope].join(" ");
    };
    const deployments = "apps v1 Deployment deployments Namespaced";
    for (const name of ["deploy", "deployments.apps", "deployments.v1.apps", "Deployment"])
      expect(await found(name)).toBe(deployments);
    expect(await found("ev")).toBe(" v1 Event events Namespaced");
    expect(await found("events.events")).toBe("events.k8s.io v1 Event events Namespaced");
    expect(await found("hpa")).toContain("autoscaling v2");
    expect(await found("hpa.v1.autoscaling")).toContain("autoscaling v2");
    expect(await found("horizontalpodautoscalers.v1.autoscaling")).toContain("autoscaling v1");
    expect(await found("storageclass.storage")).toContain("storageclasses Cluster");
    const all = (await mapper.allNamed("all")).map(({ plural }) => plural);
    expect(all).toEqual(expect.arrayContaining(["pods", "services", "deployments", "jobs"]));
    await expect(mapper.named("nope")).rejects.toThrow(
      'the server doesn\'t have a resource type "nope"',
    );
    await expect(mapper.kindOf({ apiVersion: "apps/v9", kind: "Deployment" })).rejects.toThrow(
      'no matches for kind "Deployment" in version "apps/v9"',
    );
  });

  test("a resource has the properties that the server sends", async (client) => {
    const discovery = createDiscovery(client);
    const { resources, failures } = await discovery.apis();
    expect(failures.size).toBe(0);
    const pods = resources.find(({ plural, group }) => plural === "pods" && group === "");
    expect(pods).toMatchObject({ singular: "pod", shortNames: ["po"], categories: ["all"] });
    expect(pods?.verbs).toContain("deletecollection");
    expect(pods?.subresources).toContainEqual({
      name: "eviction",
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    });
    expect((await discovery.version()).major).toBe("1");
  });

  test("a kind that is defined meanwhile is found, and its objects can be used like others", async (client) => {
    const discovery = createDiscovery(client);
    const mapper = createRestMapper(discovery);
    await discovery.apis();
    await define(client);
    const widgets = await mapper.kindOf({ apiVersion: "example.com/v1", kind: "Widget" });
    expect(await mapper.named("wi")).toMatchObject({ plural: "widgets", version: "v2" });
    expect((await mapper.allNamed("toys")).map(({ kind }) => kind)).toEqual(["Widget"]);

    const spec = { size: 1, colour: "red" };
    const created = await client.create(widgets, { metadata: { name: "a" }, spec });
    expect(created).toMatchObject({ apiVersion: "example.com/v1", kind: "Widget", spec });
    const grown = await client.update(
      widgets,
      withChanges(created, (draft) => {
        draft.spec = { ...spec, size: 2 };
      }),
    );
    expect(sizeOf(grown)).toBe(2);
    const patched = await client.patch(widgets, keyOf(created), { merge: { spec: { size: 3 } } });
    expect(sizeOf(patched)).toBe(3);
    const strategic = client.patch(widgets, keyOf(created), { strategic: { spec: { size: 4 } } });
    await expect(strategic).rejects.toMatchObject({ reason: "UnsupportedMediaType" });
    const applied = { metadata: { name: "b" }, spec: { size: 5 } };
    await client.apply(widgets, applied, { fieldManager: "mine" });
    const { items, kind } = await client.list(widgets, { namespace: "default" });
    expect([kind, items.map(sizeOf)]).toEqual(["WidgetList", [3, 5]]);
    const bad = client.create(widgets, { metadata: { name: "c" }, spec: { size: -1 } });
    await expect(bad).rejects.toMatchObject({
      reason: "Invalid",
      details: { group: "example.com", kind: "Widget", name: "c" },
    });
    expect(await client.delete(widgets, keyOf(created))).toBeUndefined();
  });

  test("status, scale, metadata-only requests and watches work for dynamic kinds, too", async (client) => {
    await define(client);
    const widgets = await createRestMapper(createDiscovery(client)).named("widgets.v1.example.com");
    const spec = { size: 1 };
    const created = await client.create(widgets, { metadata: { name: "a" }, spec });
    const watching = (async () => {
      for await (const event of client.watch(widgets, { namespace: "default" }))
        if (event.type === "MODIFIED") return event.object;
      return undefined;
    })();
    const shown = { ...created, status: { size: 7 } };
    const updated = await client.update(widgets, shown, { subresource: "status" });
    expect(updated.status).toEqual({ size: 7 });
    const scaled = await client.subresource(widgets, { name: "a" }, "scale").get(Scale);
    expect([scaled.spec.replicas, scaled.status.replicas]).toEqual([1, 7]);
    const metadata = await client.get(metadataOnly(widgets), { name: "a" });
    expect(Object.keys(metadata).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    await client.patch(widgets, { name: "a" }, { merge: { spec: { colour: "red" } } });
    expect(await watching).toMatchObject({ kind: "Widget", metadata: { name: "a" } });
    await client.deleteCollection(widgets, { namespace: "default" });
    expect((await client.list(widgets)).items).toEqual([]);
  });

  test("kinds with one name in two groups are distinguished, and the short name causes a warning", async (client) => {
    const warnings: string[] = [];
    const discovery = createDiscovery(client);
    const mapper = createRestMapper(discovery, { onWarning: (text) => warnings.push(text) });
    await define(client);
    await define(client, "other.example.org", "widgets", "Widget");
    expect(await mapper.named("widgets.other.example.org")).toMatchObject({
      group: "other.example.org",
    });
    expect((await mapper.named("wi")).group).toBe("example.com");
    expect(warnings).toEqual([
      'short name "wi" could also match lower priority resource widgets.other.example.org',
    ]);
  });
}
