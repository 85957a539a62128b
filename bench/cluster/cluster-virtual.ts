import { strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { Deployment } from "../../src/api/apps/v1/deployment.ts";
import { ConfigMap } from "../../src/api/core/v1/config-map.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { Event } from "../../src/api/events/v1/event.ts";
import type { Cluster } from "../../src/testing/cluster.ts";
import { startCluster } from "../../src/testing/start-cluster.ts";
import { median, verdict } from "../apiserver/apiserver-verdict.ts";

const labels = { app: "web" };
const web = (replicas: number) => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
});

/** Many whole clusters in one process, each with a deployment that comes to run. */
export async function benchVirtual(): Promise<void> {
  const began = performance.now();
  const count = 200;
  for (let seed = 0; seed < count; seed++) {
    await using cluster = await startCluster({
      nodes: 3,
      clock: "virtual",
      seed,
      namespace: "default",
    });
    await cluster.client.create(Deployment, web(3));
    await cluster.advance("1m");
    strictEqual(await running(cluster), 3);
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(`\n${count} virtual clusters, each with a deployment of three pods that run`);
  verdict("virtual clusters", seconds, { most: 20, unit: "s" });
}

/** A fork of a cluster with many objects, until its controllers have nothing to do. */
export async function benchFork(): Promise<void> {
  const objects = 10_000;
  await using parent = await startCluster({ nodes: 3, clock: "virtual", namespace: "default" });
  for (let i = 0; i < objects; i++)
    await parent.client.create(ConfigMap, { metadata: { name: `map-${i}` }, data: { i: `${i}` } });
  await parent.client.create(Deployment, web(3));
  await parent.advance("1m");
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    const fork = parent.fork();
    await fork.settled();
    times.push(performance.now() - began);
    await fork.close();
  }
  console.log(
    `\nfork of a cluster with ${objects} objects until it is settled: first ${times[0]?.toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)}`,
  );
  verdict("fork, controllers included", median(times), { most: 100, unit: "ms" });
}

/** The same seed, twice. */
export async function benchSeed(): Promise<void> {
  const [one, two, other] = [await history(7), await history(7), await history(8)];
  strictEqual(one, two);
  console.log(`\nthe same seed gives the same history: ${one.slice(0, 16)}`);
  if (one === other) throw new Error("another seed gives the same history: nothing was compared");
}

async function history(seed: number): Promise<string> {
  await using cluster = await startCluster({
    nodes: 5,
    clock: "virtual",
    seed,
    namespace: "default",
  });
  cluster.faults.add({ chance: 0.05, fault: { type: "lose-response" } });
  cluster.faults.add({ chance: 0.05, fault: { type: "fail" } });
  await cluster.client.create(Deployment, web(10));
  await cluster.advance("1m");
  cluster.faults.crash("kube-scheduler");
  await cluster.client.patch(Deployment, { name: "web" }, { merge: { spec: { replicas: 4 } } });
  await cluster.advance("10m");
  const [events, pods] = await Promise.all([
    cluster.client.list(Event, { namespace: "default" }),
    cluster.client.list(Pod, { namespace: "default" }),
  ]);
  return createHash("sha256")
    .update(JSON.stringify([events, pods]))
    .digest("hex");
}

async function running({ client }: Cluster): Promise<number> {
  const { items } = await client.list(Pod, { namespace: "default" });
  return items.filter(({ status }) => status.phase === "Running").length;
}
