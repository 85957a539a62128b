import { afterEach, beforeEach, expect, test } from "vitest";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { createClient } from "../../client/client.ts";
import { TransportError } from "../../client/transport.ts";
import type { Cluster } from "../cluster.ts";
import { startCluster } from "../start-cluster.ts";
import type { Fault } from "./fault.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ clock: "virtual", nodes: 0, namespace: "default" });
});
afterEach(() => cluster.close());

const labels = { app: "web" };
const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
};
const pods = async (): Promise<number> =>
  (await cluster.client.list(Pod, { namespace: "default" })).items.length;
const podCreates = { verb: "create", resource: "pods" };

test.each<readonly [string, Fault]>([
  ["fails", { type: "fail" }],
  ["is rejected", { type: "fail", error: new StatusError("InternalError", "broken") }],
  ["succeeds with its response lost", { type: "lose-response" }],
  ["is delayed", { type: "delay", ms: 5000 }],
  ["kills its component before", { type: "crash", when: "before" }],
  ["kills its component afterwards", { type: "crash", when: "after" }],
])("a replica set has its pods although a create %s", async (_, fault) => {
  cluster.faults.add({ calls: podCreates, times: 1, fault });
  await cluster.client.create(ReplicaSet, web);
  await cluster.advance("1m");
  expect(await pods()).toBe(3);
});

test.each<readonly [string, Fault]>([
  ["breaks", { type: "break", afterMs: 100 }],
  ["gets an Expired error", { type: "expire" }],
  ["is delayed", { type: "delay", ms: 2000 }],
  ["gets no response", { type: "lose-response" }],
])("a replica set has its pods although its watch %s", async (_, fault) => {
  cluster.faults.add({ calls: { verb: "watch", resource: "replicasets" }, times: 1, fault });
  cluster.faults.crash("kube-controller-manager");
  await cluster.client.create(ReplicaSet, web);
  await cluster.advance("1m");
  expect(await pods()).toBe(3);
});

test("a partitioned component does nothing until the partition ends", async () => {
  const heal = cluster.faults.partition("kube-controller-manager");
  await cluster.client.create(ReplicaSet, web);
  await cluster.advance("1h");
  expect(await pods()).toBe(0);
  heal();
  await cluster.advance("2m");
  expect(await pods()).toBe(3);
});

test("one user can be partitioned while others continue", async () => {
  cluster.faults.partition("replicaset-controller");
  await cluster.client.create(ReplicaSet, web);
  await cluster.client.create(Namespace, { metadata: { name: "other" } });
  await cluster.advance("1m");
  expect(await pods()).toBe(0);
  const { items } = await cluster.client.list(ConfigMap, { namespace: "other" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["kube-root-ca.crt"]);
});

test("a paused component continues where it stopped", async () => {
  const resume = cluster.faults.pause("kube-controller-manager");
  await cluster.client.create(ReplicaSet, web);
  await cluster.advance("1h");
  expect(await pods()).toBe(0);
  resume();
  await cluster.settled();
  expect(await pods()).toBe(3);
});

test("a removed rule has no effect", async () => {
  cluster.faults.add({ calls: podCreates, fault: { type: "fail" } })();
  cluster.faults.add({ fault: { type: "fail" } });
  cluster.faults.clear();
  await cluster.client.create(ReplicaSet, web);
  await cluster.settled();
  expect(await pods()).toBe(3);
});

test("a component of the test is affected by faults, too", async () => {
  const transport = cluster.faults.transport("operator");
  const client = createClient(transport, { clock: cluster.clock, namespace: "default" });
  const settings = { metadata: { name: "settings" } };
  cluster.faults.add({
    calls: { component: "operator" },
    times: 1,
    fault: { type: "lose-response" },
  });
  await expect(client.create(ConfigMap, settings)).rejects.toThrow(TransportError);
  await expect(client.create(ConfigMap, settings)).rejects.toThrow("already exists");
});

test("crashing an unknown component is an error", () => {
  expect(() => cluster.faults.crash("kube-proxy")).toThrow(
    "there is no kube-proxy: kube-controller-manager",
  );
});

test.each<readonly [string, string, Fault]>([
  ["startContainer", "fails", { type: "fail" }],
  ["createContainer", "succeeds with its response lost", { type: "lose-response" }],
  ["runPodSandbox", "is late", { type: "delay", ms: 20_000 }],
  ["pullImage", "fails", { type: "fail" }],
  ["startContainer", "kills the kubelet", { type: "crash", when: "after" }],
])("a pod runs although %s of its runtime %s", async (verb, _, fault) => {
  const nodes = await startCluster({ clock: "virtual", nodes: 1, namespace: "default" });
  const seen: string[] = [];
  nodes.faults.add({
    calls(call) {
      if (call.resource !== "runtime" || call.verb !== verb) return false;
      seen.push(call.user);
      return true;
    },
    times: 1,
    fault,
  });
  await nodes.client.create(Pod, { metadata: { name: "web" }, spec: web.spec.template.spec });
  await nodes.advance("5m");
  const { status } = await nodes.client.get(Pod, { name: "web" });
  expect(status.phase).toBe("Running");
  expect(seen[0]).toBe("system:node:node-1");
  await nodes.close();
});
