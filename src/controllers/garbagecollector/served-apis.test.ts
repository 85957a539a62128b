import { afterEach, beforeEach, expect, test } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { dynamicKind } from "../../client/resource-kind.ts";
import type { Transport, TransportRequest } from "../../client/transport.ts";
import {
  type CollectedCluster,
  collectedCluster,
  configMapsIn,
  ownerRef,
} from "./collected-cluster.test-support.ts";

let requests: TransportRequest[];
/** Requests of this path are not answered. */
let broken: string;
let cluster: CollectedCluster;
let maps: ReturnType<typeof configMapsIn>;
beforeEach(async () => {
  requests = [];
  broken = "none";
  cluster = await collectedCluster({ through });
  maps = configMapsIn(cluster, "default");
});
afterEach(() => cluster.end());

const through =
  (transport: Transport): Transport =>
  async (request) => {
    requests.push(request);
    if (request.path === broken) throw new StatusError("ServiceUnavailable", "nobody is here");
    return transport(request);
  };

const Apple = dynamicKind({
  group: "example.com",
  version: "v1",
  kind: "Apple",
  plural: "apples",
  scope: "Namespaced",
});
const definition = {
  metadata: { name: "apples.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "apples", kind: "Apple" },
    scope: "Namespaced" as const,
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
};
const asked = (path: string): number => requests.filter((request) => request.path === path).length;
const apples = async (): Promise<readonly (string | undefined)[]> => {
  await cluster.settled();
  return (await cluster.client.list(Apple)).items.map(({ metadata }) => metadata.name);
};

test("custom resources that were just defined take part in garbage collection", async () => {
  await cluster.client.create(CustomResourceDefinition, definition);
  await cluster.advance("1s");
  const owner = await cluster.client.create(Apple, { metadata: { name: "owner" } });
  await maps.create("of-apple", [ownerRef(owner)]);
  const map = await maps.create("map");
  const owners = { ownerReferences: [ownerRef(map), ownerRef(owner)] };
  await cluster.client.create(Apple, { metadata: { name: "owned", ...owners } });
  await cluster.settled();
  await cluster.client.delete(Apple, { name: "owner" }, { propagationPolicy: "Background" });
  expect([await maps.left(), await apples()]).toEqual([["map"], ["owned"]]);
  const { metadata } = await cluster.client.get(Apple, { name: "owned" });
  expect(metadata.ownerReferences).toMatchObject([{ name: "map" }]);
  // Such objects have no lists that are merged item by item, so they are sent as a whole.
  const patches = cluster.writes.filter(({ method }) => method === "PATCH");
  expect(patches.map(({ headers }) => headers["content-type"])).toEqual([
    "application/strategic-merge-patch+json",
    "application/merge-patch+json",
  ]);
  expect(patches[1]?.body).toMatchObject({ metadata: { resourceVersion: expect.any(String) } });

  await maps.delete("map", "Background");
  expect(await apples()).toEqual([]);
});

test("objects that are deleted with their definition take their dependents along", async () => {
  await cluster.client.create(CustomResourceDefinition, definition);
  await cluster.advance("1s");
  const owner = await cluster.client.create(Apple, { metadata: { name: "owner" } });
  await maps.create("a", [ownerRef(owner)]);
  await cluster.settled();
  await cluster.client.delete(CustomResourceDefinition, { name: "apples.example.com" });
  await cluster.advance("1m");
  expect(await maps.left()).toEqual([]);
  requests = [];
  await cluster.advance("1h");
  expect(requests.filter(({ path }) => path.includes("example.com"))).toEqual([]);
});

test("a resource that cannot be listed does not delay the rest for more than 30 s", async () => {
  await cluster.stop();
  broken = "/apis/apps/v1/replicasets";
  const next = await collectedCluster({ through }, cluster);
  const a = await maps.create("a");
  await maps.create("b", [ownerRef(a)]);
  await maps.delete("a", "Background");
  await next.advance("29s");
  expect(await maps.left()).toEqual(["b"]);
  await next.advance("1s");
  expect(await maps.left()).toEqual([]);
  await next.stop();
});

test("discovery is not read while the served resources cannot change", async () => {
  await cluster.advance("1m");
  requests = [];
  await cluster.advance("1h");
  expect(requests.filter(({ query }) => !query.includes("watch=true"))).toEqual([]);
});

test("with aggregated API servers discovery is polled every 30 s", async () => {
  await cluster.client.create(APIService, {
    metadata: { name: "v1.example.com" },
    spec: {
      group: "example.com",
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "none" },
    },
  });
  await cluster.advance("2m");
  const before = asked("/apis");
  await cluster.advance("5m");
  expect(asked("/apis") - before).toBe(10);
});

test("resources whose discovery fails are still watched", async () => {
  await cluster.client.create(CustomResourceDefinition, definition);
  await cluster.advance("1m");
  broken = "/apis";
  await cluster.client.create(CustomResourceDefinition, {
    metadata: { name: "pears.example.com" },
    spec: { ...definition.spec, names: { plural: "pears", kind: "Pear" } },
  });
  await cluster.advance("5m");
  const owner = await cluster.client.create(Apple, { metadata: { name: "owner" } });
  const ownerReferences = [ownerRef(owner)];
  await cluster.client.create(Apple, { metadata: { name: "owned", ownerReferences } });
  await cluster.settled();
  await cluster.client.delete(Apple, { name: "owner" }, { propagationPolicy: "Background" });
  expect(await apples()).toEqual([]);
});
