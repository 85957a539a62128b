import { afterEach, beforeEach, expect, test } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ResourceQuota } from "../../api/core/v1/quota/resource-quota.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { dynamicKind } from "../../client/resource-kind.ts";
import { withChanges } from "../../client/with-changes.ts";
import { type RunningCluster, runningCluster } from "../running.test-support.ts";
import { resourceQuotaController } from "./resource-quota-controller.ts";

const controller = resourceQuotaController({ concurrency: 5, resyncMs: 300_000 });
let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(controller);
});
afterEach(() => cluster.end());

const q = { namespace: "default", name: "q" };
const at = (name: string) => ({ name, namespace: "default" });
const quota = async (hard: Record<string, string>, spec: object = {}) => {
  await cluster.client.create(ResourceQuota, { metadata: q, spec: { hard, ...spec } });
  await cluster.settled();
};
const status = async () => {
  await cluster.settled();
  return (await cluster.client.get(ResourceQuota, q)).status;
};
const used = async () => (await status()).used;
const pod = (name: string, cpu = "250m", spec: object = {}) =>
  cluster.client.create(Pod, {
    metadata: at(name),
    spec: {
      containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }],
      ...spec,
    },
  });
const configMap = (name: string) => cluster.client.create(ConfigMap, { metadata: at(name) });

test("objects older than the quota are counted, and the limits come into force", async () => {
  await configMap("a");
  await configMap("b");
  await quota({ configmaps: "3", secrets: "1", "count/nothing.example.com": "1" });
  expect(await status()).toEqual({
    hard: { configmaps: "3", secrets: "1", "count/nothing.example.com": "1" },
    used: { configmaps: "2", secrets: "0" },
  });
});

test("objects that were admitted before limits came into force are counted", async () => {
  const names = Array.from({ length: 20 }, (_, n) => `c${n}`);
  await Promise.all([
    ...names.slice(0, 10).map(configMap),
    cluster.client.create(ResourceQuota, { metadata: q, spec: { hard: { configmaps: "50" } } }),
    ...names.slice(10).map(configMap),
  ]);
  await cluster.advance("3s");
  expect(await used()).toEqual({ configmaps: "20" });
});

test("a quota counts itself", async () => {
  await configMap("a");
  await quota({ resourcequotas: "1", "count/resourcequotas": "1" });
  expect(await used()).toEqual({ resourcequotas: "1", "count/resourcequotas": "1" });
});

test("changed limits come into force, and removed ones are removed from the status", async () => {
  await quota({ configmaps: "3", secrets: "1" });
  const now = await cluster.client.get(ResourceQuota, q);
  await cluster.client.update(
    ResourceQuota,
    withChanges(now, (draft) => {
      draft.spec.hard = { configmaps: "1", "count/leases.coordination.k8s.io": "5" };
    }),
  );
  expect(await status()).toEqual({
    hard: { configmaps: "1", "count/leases.coordination.k8s.io": "5" },
    used: { configmaps: "0", "count/leases.coordination.k8s.io": "0" },
  });
});

test("deleted objects lower the usage", async () => {
  await quota({ configmaps: "1", "count/pods": "1" });
  await configMap("a");
  await expect(configMap("b")).rejects.toThrow("exceeded quota: q");
  await cluster.client.delete(ConfigMap, at("a"));
  expect(await used()).toEqual({ configmaps: "0", "count/pods": "0" });
  await configMap("b");
  expect(await used()).toEqual({ configmaps: "1", "count/pods": "0" });
});

test("a terminated pod uses no compute resources, but counts as an object", async () => {
  await quota({ pods: "2", "requests.cpu": "1", "count/pods": "5" });
  const one = await pod("a");
  expect(await used()).toEqual({ pods: "1", "requests.cpu": "250m", "count/pods": "1" });
  const ended = withChanges(one, (draft) => {
    draft.status.phase = "Succeeded";
  });
  await cluster.client.update(Pod, ended, { subresource: "status" });
  expect(await used()).toEqual({ pods: "0", "requests.cpu": "0", "count/pods": "1" });
});

test("a terminating pod counts until a minute after its grace period", async () => {
  await quota({ pods: "2" });
  const one = await pod("a", "250m", { nodeName: "lost" });
  await cluster.client.delete(Pod, at("a"), { gracePeriodSeconds: 20 });
  expect(one.metadata.deletionTimestamp).toBe(undefined);
  await cluster.advance("99s");
  expect(await used()).toEqual({ pods: "1" });
  await cluster.advance("2s");
  expect(await used()).toEqual({ pods: "0" });
});

test("a pod that gets an active deadline changes its quota scope", async () => {
  await quota({ pods: "2" }, { scopes: ["NotTerminating"] });
  const one = await pod("a");
  expect(await used()).toEqual({ pods: "1" });
  await cluster.client.update(
    Pod,
    withChanges(one, (draft) => {
      draft.spec.activeDeadlineSeconds = 5;
    }),
  );
  expect(await used()).toEqual({ pods: "0" });
});

test("a service that changes its type releases node ports", async () => {
  // The service of the API server is there already.
  await quota({ services: "3", "services.nodeports": "3" });
  const spec = {
    type: "NodePort",
    ports: [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ],
  };
  const service = await cluster.client.create(Service, { metadata: at("s"), spec });
  expect(await used()).toEqual({ services: "2", "services.nodeports": "2" });
  await cluster.client.update(
    Service,
    withChanges(service, (draft) => {
      draft.spec.type = "ClusterIP";
    }),
  );
  expect(await used()).toEqual({ services: "2", "services.nodeports": "0" });
});

test("a persistent volume claim also counts for its storage class", async () => {
  const gold = "gold.storageclass.storage.k8s.io/requests.storage";
  await quota({ "requests.storage": "5Gi", [gold]: "3Gi" });
  const claim = (name: string, storage: string, storageClassName?: string) =>
    cluster.client.create(PersistentVolumeClaim, {
      metadata: at(name),
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName,
        resources: { requests: { storage } },
      },
    });
  await claim("a", "1Gi");
  await claim("b", "2Gi", "gold");
  expect(await used()).toEqual({ "requests.storage": "3Gi", [gold]: "2Gi" });
  await expect(claim("c", "2Gi", "gold")).rejects.toThrow(
    `requested: ${gold}=2Gi, used: ${gold}=2Gi`,
  );
});

const Toy = dynamicKind({
  group: "example.com",
  version: "v1",
  kind: "Toy",
  plural: "toys",
  scope: "Namespaced",
});
const definition = {
  metadata: { name: "toys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
} as const;
const toy = (name: string) =>
  cluster.client.create(Toy, { apiVersion: "example.com/v1", kind: "Toy", metadata: at(name) });

test("a resource that is defined later is counted once it is served", async () => {
  await quota({ "count/toys.example.com": "1" });
  expect(await used()).toEqual(undefined);
  await cluster.client.create(CustomResourceDefinition, definition);
  await cluster.advance("10s");
  expect(await used()).toEqual({ "count/toys.example.com": "0" });
  await toy("a");
  await expect(toy("b")).rejects.toThrow("exceeded quota: q");
  await cluster.client.delete(Toy, at("a"));
  expect(await used()).toEqual({ "count/toys.example.com": "0" });
  await toy("b");
  expect(await used()).toEqual({ "count/toys.example.com": "1" });
});

test("a resource whose definition is deleted counts as 0", async () => {
  await cluster.client.create(CustomResourceDefinition, definition);
  await cluster.advance("10s");
  await quota({ "count/toys.example.com": "2" });
  await toy("a");
  expect(await used()).toEqual({ "count/toys.example.com": "1" });
  await cluster.client.delete(CustomResourceDefinition, { name: "toys.example.com" });
  await cluster.advance("60s");
  expect(await used()).toEqual({ "count/toys.example.com": "0" });
});

test("objects of other namespaces do not count", async () => {
  await cluster.client.create(Namespace, { metadata: { name: "other" } });
  await quota({ configmaps: "1" });
  await cluster.client.create(ConfigMap, { metadata: { namespace: "other", name: "a" } });
  expect(await used()).toEqual({ configmaps: "0" });
});

test("a status written by another client while limits come into force is kept, unless usage was missed", async () => {
  await quota({ configmaps: "5", secrets: "1" });
  const now = await cluster.client.get(ResourceQuota, q);
  const wrong = withChanges(now, (draft) => {
    draft.status = { hard: { configmaps: "9", pods: "1" }, used: { configmaps: "4" } };
  });
  await cluster.client.update(ResourceQuota, wrong, { subresource: "status" });
  await cluster.advance("10s");
  expect(await status()).toEqual(wrong.status);
});

test("a wrong status is corrected by the resync; else nothing is written", async () => {
  await quota({ configmaps: "5" });
  await configMap("a");
  await cluster.advance("10s");
  const now = await cluster.client.get(ResourceQuota, q);
  const wrong = withChanges(now, (draft) => {
    draft.status.used = { configmaps: "4" };
  });
  await cluster.client.update(ResourceQuota, wrong, { subresource: "status" });
  await cluster.advance("289s");
  expect(await used()).toEqual({ configmaps: "4" });
  await cluster.advance("1s");
  expect(await used()).toEqual({ configmaps: "1" });
  const before = await cluster.client.get(ResourceQuota, q);
  await cluster.advance("1h");
  const after = await cluster.client.get(ResourceQuota, q);
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});
