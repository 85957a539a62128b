import { expect, onTestFinished, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { createParts } from "../controller-module.ts";
import { eventsOf } from "../nodes.test-support.ts";
import { partsOf, runningCluster } from "../running.test-support.ts";
import { nodeIpamModule } from "./node-ipam-module.ts";

const flags = { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/22" };

async function start(values: object = {}, given?: Cluster) {
  const runnables = partsOf(nodeIpamModule, { values: { ...flags, ...values } });
  const cluster = await accountedCluster({ runnables }, given);
  onTestFinished(() => cluster.end());
  return cluster;
}

const add = ({ client }: Cluster, name: string, spec: object = {}) =>
  client.create(Node, { metadata: { name }, spec });

const rangesOf = async ({ client, settled }: Cluster) => {
  await settled();
  const { items } = await client.list(Node);
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.podCIDRs]));
};

test("node-ipam: nodes without ranges get free ones, each of its own", async () => {
  const cluster = await start();
  await add(cluster, "own", { podCIDR: "10.244.1.0/24" });
  await add(cluster, "other", { podCIDR: "192.168.0.0/24" });
  for (const name of ["a", "b"]) await add(cluster, name);
  expect(await rangesOf(cluster)).toEqual({
    own: ["10.244.1.0/24"],
    other: ["192.168.0.0/24"],
    a: ["10.244.0.0/24"],
    b: ["10.244.2.0/24"],
  });
  expect((await cluster.client.get(Node, { name: "a" })).spec.podCIDR).toBe("10.244.0.0/24");
});

test("node-ipam: ranges of nodes that were there before are not given again", async () => {
  const before = await startCluster({ clock: "virtual", namespace: "default" });
  await add(before, "a");
  await add(before, "b", { podCIDR: "10.244.0.0/24" });
  const cluster = await start({}, before);
  expect(await rangesOf(cluster)).toEqual({ a: ["10.244.1.0/24"], b: ["10.244.0.0/24"] });
});

test("node-ipam: a node waits while no range is left, and gets that of a deleted node", async () => {
  const cluster = await start({ "cluster-cidr": "10.244.0.0/24" });
  await add(cluster, "a");
  await cluster.settled();
  await add(cluster, "b");
  expect(await rangesOf(cluster)).toEqual({ a: ["10.244.0.0/24"], b: undefined });
  expect(await eventsOf(cluster, "cidrAllocator")).toEqual([
    "Normal CIDRNotAvailable Node/b: Node b status is now: CIDRNotAvailable",
  ]);
  await cluster.client.delete(Node, { name: "a" });
  await cluster.advance("10m");
  expect(await rangesOf(cluster)).toEqual({ b: ["10.244.0.0/24"] });
});

test("node-ipam: networks of services are left out, and both families are assigned", async () => {
  const cluster = await start({
    "cluster-cidr": "10.244.0.0/22,2001:db8::/60",
    "service-cluster-ip-range": "10.244.0.0/23",
  });
  await add(cluster, "a");
  expect(await rangesOf(cluster)).toEqual({ a: ["10.244.2.0/24", "2001:db8::/64"] });
});

test("node-ipam: a failed write is an event, and is repeated with the same range", async () => {
  const cluster = await runningCluster(...partsOf(nodeIpamModule, { values: flags }));
  onTestFinished(() => cluster.end());
  const calls = { verb: "patch", resource: "nodes" };
  cluster.faults.add({ calls, times: 1, fault: { type: "fail" } });
  await add(cluster, "a");
  await add(cluster, "b");
  expect(await eventsOf(cluster, "cidrAllocator")).toEqual([
    "Normal CIDRAssignmentFailed Node/a: Node a status is now: CIDRAssignmentFailed",
  ]);
  expect(await rangesOf(cluster)).toEqual({ a: ["10.244.0.0/24"], b: ["10.244.1.0/24"] });
});

test("node-ipam: without --allocate-node-cidrs nothing runs", () => {
  expect(createParts(nodeIpamModule)).toBeUndefined();
  const values = { "allocate-node-cidrs": true };
  expect(() => createParts(nodeIpamModule, { values })).toThrow("invalid CIDR[0]");
});
