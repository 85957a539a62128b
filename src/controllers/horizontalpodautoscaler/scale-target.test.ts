import { expect, test } from "vitest";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import type { Client } from "../../client/client.ts";
import { type DynamicObject, dynamicKind } from "../../client/resource-kind.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { autoscaler, conditionsOf, eventsOf, web } from "./autoscaled-cluster.test-support.ts";

/** A kind that only has to be scaled: nothing makes pods of it. */
const Fleet = dynamicKind<DynamicObject & { readonly spec: { readonly ships: number } }>({
  group: "example.com",
  version: "v1",
  kind: "Fleet",
  plural: "fleets",
  scope: "Namespaced",
});

const fleets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "fleets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Fleet", plural: "fleets" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.ships",
            statusReplicasPath: ".status.ships",
            labelSelectorPath: ".status.selector",
          },
        },
      },
    ],
  },
};

const busy = web({ "wherry.dev/cpu": "320m" });

interface Row {
  readonly apiVersion: string;
  readonly kind: string;
  readonly create: (client: Client) => Promise<unknown>;
  readonly replicas: (client: Client) => Promise<number | undefined>;
}

test.each<Row>([
  {
    apiVersion: "v1",
    kind: "ReplicationController",
    create: (client) =>
      client.create(ReplicationController, {
        ...busy,
        spec: { ...busy.spec, selector: { app: "web" } },
      }),
    replicas: async (client) =>
      (await client.get(ReplicationController, { name: "web" })).spec.replicas,
  },
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    create: (client) => client.create(ReplicaSet, busy),
    replicas: async (client) => (await client.get(ReplicaSet, { name: "web" })).spec.replicas,
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    create: (client) =>
      client.create(StatefulSet, { ...busy, spec: { ...busy.spec, serviceName: "web" } }),
    replicas: async (client) => (await client.get(StatefulSet, { name: "web" })).spec.replicas,
  },
  {
    apiVersion: "example.com/v1",
    kind: "Fleet",
    async create(client) {
      const { template } = busy.spec;
      const metadata = { ...template.metadata, name: "web-a" };
      await client.create(Pod, { ...template, metadata });
      await client.create(Fleet, { metadata: { name: "web" }, spec: { ships: 1 } });
      const status = { ships: 1, selector: "app=web" };
      const options = { subresource: "status" };
      await client.patch(Fleet, { name: "web" }, { merge: { status } }, options);
    },
    replicas: async (client) => (await client.get(Fleet, { name: "web" })).spec.ships,
  },
])(
  "horizontal-pod-autoscaler-controller: scales a $kind",
  async ({ create, replicas, ...kind }) => {
    await using world = await startCluster({
      clock: "virtual",
      nodes: 2,
      namespace: "default",
      crds: [fleets],
    });
    const { client } = world;
    await create(client);
    await world.advance("6m");
    const { apiVersion } = kind;
    const scaleTargetRef = { apiVersion, kind: kind.kind, name: "web" };
    await client.create(HorizontalPodAutoscaler, autoscaler({ scaleTargetRef }));
    await world.advance("16s");
    expect(await replicas(client)).toBe(2);
  },
);

test.each([
  [
    "a kind that nobody serves",
    { apiVersion: "example.com/v1", kind: "Sail", name: "web" },
    'no matches for kind "Sail" in group "example.com"',
  ],
  [
    "an object that is not there",
    { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    'deployments.apps "web" not found',
  ],
])("horizontal-pod-autoscaler-controller: cannot scale %s", async (_, scaleTargetRef, why) => {
  await using world = await startCluster({ clock: "virtual", nodes: 0, namespace: "default" });
  await world.client.create(HorizontalPodAutoscaler, autoscaler({ scaleTargetRef }));
  await world.advance("16s");
  expect(await conditionsOf(world)).toEqual([
    `AbleToScale=False FailedGetScale: the HPA controller was unable to get the target's current scale: ${why}`,
  ]);
  expect(await eventsOf(world)).toEqual([`Warning FailedGetScale: ${why}`]);
});
