import { expect, expectTypeOf, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { createManager } from "../manager/manager.ts";
import { controller } from "./controller.ts";
import type { ControllerSource } from "./controller-definition.ts";
import { anyOf, generationChanged, labelsChanged, objectsWhere } from "./predicates.ts";

const none = { cache: {} as never };
const reconcile = async (): Promise<undefined> => undefined;

test("a controller is checked by types, each watch by its own kind", () => {
  controller({
    name: "web",
    for: Deployment,
    owns: [ReplicaSet, { kind: Pod, anyOwner: true, predicates: [generationChanged] }],
    predicates: [
      anyOf(generationChanged, labelsChanged),
      ({ object }) => {
        expectTypeOf(object).toEqualTypeOf<Deployment>();
        return object.spec.paused !== true;
      },
    ],
    watches: [
      {
        kind: Secret,
        map: (secret) => {
          expectTypeOf(secret).toEqualTypeOf<Secret>();
          // @ts-expect-error: a secret has no such field
          secret.spec;
          return [{ name: secret.type ?? "" }];
        },
      },
      {
        kind: ConfigMap,
        predicates: [objectsWhere((config) => config.data?.a === "b")],
        map: async (config, { cache }) => {
          expectTypeOf(config).toEqualTypeOf<ConfigMap>();
          expectTypeOf(await cache.list(Pod)).toEqualTypeOf<readonly Pod[]>();
          return [];
        },
      },
    ],
    async reconcile(key, { cache }) {
      expectTypeOf(await cache.get(Deployment, key)).toEqualTypeOf<Deployment | undefined>();
      return { requeueAfterMs: 1 };
    },
  });
  // @ts-expect-error: it has to say when to be called again in milliseconds
  controller({ name: "web", for: Deployment, reconcile: async () => ({ requeueAfter: "1s" }) });
  // @ts-expect-error: it has to do something
  controller({ name: "web", for: Deployment });
  expect(() => controller({ name: "", for: Deployment, reconcile })).toThrow("needs a name");
});

function keysOf(source: ControllerSource | undefined, metadata: KubernetesObject["metadata"]) {
  return source?.map({ apiVersion: "v1", kind: "X", metadata }, none);
}

const owner = (kind: string, rest: object = {}) => ({
  apiVersion: "apps/v1",
  kind,
  name: "web",
  uid: "u",
  ...rest,
});

test("owners are found by group and kind in any version: the controller, or all with anyOwner", () => {
  const { sources } = controller({
    name: "web",
    for: Deployment,
    owns: [ReplicaSet, { kind: Pod, anyOwner: true }],
    reconcile,
  });
  const [own, byController, byAny] = sources;
  const at = { name: "x", namespace: "ns" };
  const web = [{ namespace: "ns", name: "web" }];
  expect(keysOf(own, at)).toEqual([{ namespace: "ns", name: "x" }]);
  const owned = (one: ReturnType<typeof owner>) => ({ ...at, ownerReferences: [one] });
  expect(keysOf(byController, owned(owner("Deployment", { controller: true })))).toEqual(web);
  expect(keysOf(byController, owned(owner("Deployment")))).toEqual([]);
  expect(keysOf(byAny, owned(owner("Deployment")))).toEqual(web);
  expect(keysOf(byAny, owned(owner("ReplicaSet")))).toEqual([]);
  expect(keysOf(byAny, owned(owner("Deployment", { apiVersion: "apps/v1beta2" })))).toEqual(web);
  expect(keysOf(byAny, owned(owner("Deployment", { apiVersion: "other/v1" })))).toEqual([]);
  expect(keysOf(byAny, at)).toEqual([]);
});

test("the key of a cluster-scoped owner has no namespace", () => {
  const { sources } = controller({ name: "nodes", for: Node, owns: [Pod], reconcile });
  const reference = owner("Node", { apiVersion: "v1", controller: true });
  const metadata = { name: "x", namespace: "ns", ownerReferences: [reference] };
  expect(keysOf(sources[1], metadata)).toEqual([{ name: "web" }]);
});

test("events may enqueue keys later: one reconcile for several of them", async () => {
  await using cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const times: number[] = [];
  const later = controller({
    name: "later",
    for: ConfigMap,
    predicates: [objectsWhere(({ metadata }) => metadata.name === "a")],
    delayMs: ({ type }) => (type === "updated" ? 1000 : 0),
    async reconcile(_, { clock }) {
      times.push(clock.now());
    },
  });
  const stop = new AbortController();
  const running = createManager({ ...cluster, controllers: [later] }).run({ signal: stop.signal });
  await cluster.settled();
  const begun = cluster.clock.now();
  await cluster.client.create(ConfigMap, { metadata: { name: "a" } });
  await cluster.settled();
  for (const value of ["1", "2", "3"]) {
    await cluster.client.patch(ConfigMap, { name: "a" }, { merge: { data: { value } } });
    await cluster.advance(100);
  }
  await cluster.advance(5000);
  expect(times.map((time) => time - begun)).toEqual([0, 1000]);
  stop.abort();
  await cluster.settled();
  await running;
});
