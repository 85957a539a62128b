import { expect, test } from "vitest";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { Lease } from "../api/coordination/v1/lease.ts";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { Event } from "../api/events/v1/event.ts";
import { startCluster } from "./start-cluster.ts";

const labels = { app: "web" };
const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 6,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
};

/** Returns all requests, and all objects at the end. */
async function history(seed: number): Promise<string> {
  await using cluster = await startCluster({
    nodes: 3,
    clock: "virtual",
    seed,
    namespace: "default",
  });
  const calls: string[] = [];
  cluster.faults.add({
    calls({ component, user, verb, resource, namespace, name }) {
      calls.push([cluster.clock.now(), component, user, verb, resource, namespace, name].join(" "));
      return false;
    },
    fault: { type: "fail" },
  });
  cluster.faults.add({ chance: 0.05, fault: { type: "lose-response" } });
  cluster.faults.add({ chance: 0.05, fault: { type: "fail" } });
  cluster.faults.add({ chance: 0.02, fault: { type: "delay", ms: 700 } });
  await cluster.client.create(Deployment, web);
  await cluster.advance("30s");
  cluster.faults.crash("kube-scheduler");
  const image = {
    spec: { template: { spec: { containers: [{ name: "web", image: "nginx:2" }] } } },
  };
  await cluster.client.patch(Deployment, { name: "web" }, { strategic: image });
  cluster.faults.crash("kubelet");
  await cluster.advance("2m");
  cluster.faults.clear();
  await cluster.advance("3m");
  const lists = [];
  for (const kind of [Deployment, ReplicaSet, Pod, Event, Node, Lease])
    lists.push(await cluster.client.list<object>(kind));
  return JSON.stringify({ calls, lists });
}

test("equal seeds lead to the same requests and objects, byte by byte, faults and crashes included", async () => {
  const [first, again] = [await history(7), await history(7)];
  expect(again).toBe(first);
  expect(first.length).toBeGreaterThan(100_000);
});

test("another seed leads to other ones", async () => {
  expect(await history(8)).not.toBe(await history(9));
});
