import { expect, expectTypeOf, test } from "vitest";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import type { Container } from "../api/core/v1/container/container.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import type { Status } from "../api/meta/v1/status.ts";
import type { Client } from "./client.ts";
import type { DiscoveredKind, RestMapper } from "./discovery/rest-mapper.ts";
import { type DynamicObject, type MetadataObject, metadataOnly } from "./resource-kind.ts";
import { Eviction, Scale } from "./subresource-kinds.ts";
import { waitFor } from "./wait-for.ts";
import { withChanges } from "./with-changes.ts";

// These functions are never called: only the type checker looks at them.
const checked = (...checks: ((client: Client) => unknown)[]): void => {
  expect(checks.length).toBeGreaterThan(0);
};
const key = { name: "web" };

test("types: a response has the type of its kind, and required fields need no assertion", () => {
  checked(async (client) => {
    const web = await client.get(Deployment, key);
    expectTypeOf(web).toEqualTypeOf<Deployment>();
    expectTypeOf(web.spec.template.spec.containers).toExtend<readonly Container[]>();
    expectTypeOf(web.spec.template.spec.containers.map(({ name }) => name)).toExtend<string[]>();
    expectTypeOf(web.spec.replicas).toExtend<number | undefined>();
    expectTypeOf((await client.list(Deployment)).items).toEqualTypeOf<readonly Deployment[]>();
    expectTypeOf(await client.delete(Deployment, key)).toEqualTypeOf<Deployment | undefined>();
    const wanted = { key, until: (pod: Pod) => pod.status.phase === "Running" };
    expectTypeOf(await waitFor(client, Pod, wanted)).toEqualTypeOf<Pod>();
    for await (const event of client.watch(Deployment)) {
      if (event.type === "BOOKMARK")
        expectTypeOf(event.object.metadata.resourceVersion).toEqualTypeOf<string>();
      else expectTypeOf(event.object).toEqualTypeOf<Deployment>();
    }
  });
});

test("types: an unknown field is an error", () => {
  checked(
    async (client) => {
      const web = await client.get(Deployment, key);
      // @ts-expect-error: it is called replicas
      web.spec.replcas;
      // @ts-expect-error: a Deployment has no data
      web.data;
      // @ts-expect-error: objects are shared, and changed in a copy
      web.spec.replicas = 3;
      return withChanges(web, (draft) => {
        draft.spec.replicas = 3;
        // @ts-expect-error: a number is wanted
        draft.spec.replicas = "3";
      });
    },
    // @ts-expect-error: data holds texts
    (client) => client.create(ConfigMap, { metadata: key, data: { x: 1 } }),
    // @ts-expect-error: there is no such field
    (client) => client.create(ConfigMap, { metadata: key, dta: {} }),
    // @ts-expect-error: a Deployment needs a selector and a template
    (client) => client.create(Deployment, { metadata: key, spec: {} }),
    // @ts-expect-error: one of another kind
    (client) => client.update(ConfigMap, { metadata: key, spec: { replicas: 1 } }),
    // @ts-expect-error: there is no such field to apply
    (client) => client.apply(ConfigMap, { metadata: key, dta: {} }, { fieldManager: "m" }),
  );
});

test("types: a patch is any part of an object, with null for members to remove", () => {
  checked(
    (client) => client.patch(Deployment, key, { merge: { spec: { paused: null } } }),
    (client) => client.patch(Deployment, key, { merge: { metadata: { labels: { a: null } } } }),
    (client) => client.patch(Deployment, key, { merge: { spec: { template: { spec: {} } } } }),
    (client) =>
      client.patch(Deployment, key, {
        strategic: { spec: { template: { spec: { containers: [{ name: "c", image: "i" }] } } } },
      }),
    (client) => client.patch(Deployment, key, { json: [{ op: "remove", path: "/spec/replicas" }] }),
    // @ts-expect-error: there is no such field to patch
    (client) => client.patch(Deployment, key, { merge: { spec: { pause: true } } }),
    // @ts-expect-error: a number is wanted
    (client) => client.patch(Deployment, key, { strategic: { spec: { replicas: "3" } } }),
    // @ts-expect-error: there is no such form of a patch
    (client) => client.patch(Deployment, key, { apply: {} }),
    // @ts-expect-error: there is no such operation
    (client) => client.patch(Deployment, key, { json: [{ op: "delete", path: "/spec" }] }),
    // @ts-expect-error: what is added is missing
    (client) => client.patch(Deployment, key, { json: [{ op: "add", path: "/spec" }] }),
    // @ts-expect-error: where it comes from is missing
    (client) => client.patch(Deployment, key, { json: [{ op: "move", path: "/spec" }] }),
  );
});

test("types: an unknown option is an error", () => {
  checked(
    // @ts-expect-error: one object has no limit
    (client) => client.get(ConfigMap, key, { limit: 5 }),
    // @ts-expect-error: it is called labelSelector
    (client) => client.list(ConfigMap, { labels: "a=b" }),
    // @ts-expect-error: there is no such policy
    (client) => client.delete(ConfigMap, key, { propagationPolicy: "Never" }),
    // @ts-expect-error: there is no such validation
    (client) => client.create(ConfigMap, {}, { fieldValidation: "Loud" }),
    // @ts-expect-error: applying needs a field manager
    (client) => client.apply(ConfigMap, { metadata: key }, {}),
    // @ts-expect-error: only applying can be forced
    (client) => client.patch(ConfigMap, key, { merge: {} }, { force: true }),
    // @ts-expect-error: a watch is not exact
    (client) => client.watch(ConfigMap, { resourceVersionMatch: "Exact" }),
    // @ts-expect-error: a key is an object
    (client) => client.get(ConfigMap, "default/web"),
    // @ts-expect-error: a signal is no number
    (client) => client.get(ConfigMap, key, { signal: 5 }),
  );
});

test("types: a metadata-only object has no other fields; it can be patched, but not written", () => {
  checked(
    async (client) => {
      const pod = await client.get(metadataOnly(Pod), key);
      expectTypeOf(pod).toEqualTypeOf<MetadataObject>();
      expectTypeOf(pod.metadata.labels).toExtend<Readonly<Record<string, string>> | undefined>();
      // @ts-expect-error: only the metadata was asked for
      return pod.spec;
    },
    (client) =>
      client.patch(metadataOnly(Pod), key, { merge: { metadata: { labels: { a: null } } } }),
    // @ts-expect-error: there is nothing but metadata
    (client) => client.patch(metadataOnly(Pod), key, { merge: { spec: {} } }),
    // @ts-expect-error: what was not asked for would be lost
    (client) => client.update(metadataOnly(Pod), { metadata: key }),
  );
});

test("types: the members of dynamic objects are unknown", () => {
  checked(async (client) => {
    const mapper = undefined as unknown as RestMapper;
    const widgets = await mapper.named("widgets");
    expectTypeOf(widgets).toEqualTypeOf<DiscoveredKind>();
    const widget = await client.get(widgets, key);
    expectTypeOf(widget).toEqualTypeOf<DynamicObject>();
    expectTypeOf(widget.spec).toBeUnknown();
    expectTypeOf(widget.metadata.name).toExtend<string | undefined>();
    // @ts-expect-error: what it holds is not known
    widget.spec.size;
    return client.create(widgets, { metadata: key, spec: { size: 3 } });
  });
});

test("types: subresources have their own kinds", () => {
  checked(
    async (client) => {
      const scale = client.subresource(Deployment, key, "scale");
      expectTypeOf(await scale.get(Scale)).toEqualTypeOf<Scale>();
      await scale.patch(Scale, { merge: { spec: { replicas: 3 } } });
      // @ts-expect-error: a number is wanted
      await scale.patch(Scale, { merge: { spec: { replicas: "3" } } });
      const evict = client.subresource(Pod, key, "eviction");
      expectTypeOf(await evict.create(Eviction, { metadata: key })).toEqualTypeOf<Status>();
    },
    // @ts-expect-error: there is no such field of an Eviction
    (client) => client.subresource(Pod, key, "eviction").create(Eviction, { options: {} }),
  );
});
