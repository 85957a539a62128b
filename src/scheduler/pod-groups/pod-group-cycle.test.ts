import { expect, onTestFinished, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import { asking, schedulingCluster } from "../cluster.test-support.ts";

async function gangCluster() {
  const cluster = await schedulingCluster({
    features: new Set(["GenericWorkload", "GangScheduling"]),
    runtimeConfig: { "scheduling.k8s.io/v1alpha2": true },
  });
  onTestFinished(cluster.end);
  const { client, settled, pod } = cluster;
  return {
    ...cluster,
    group: (name: string, schedulingPolicy: PodGroup["spec"]["schedulingPolicy"]) =>
      client.create(PodGroup, { metadata: { name }, spec: { schedulingPolicy } }),
    member: (name: string, podGroupName: string, more: Partial<Pod["spec"]> = {}) =>
      pod(name, { ...asking({ cpu: "1" }), schedulingGroup: { podGroupName }, ...more } as never),
    async condition(name: string) {
      await settled();
      const { status } = await client.get(PodGroup, { name, namespace: "default" });
      const found = status.conditions?.find(({ type }) => type === "PodGroupScheduled");
      return found && [found.status, found.reason, found.message];
    },
    async message(name: string) {
      await settled();
      const { status } = await client.get(Pod, { name, namespace: "default" });
      return status.conditions?.find(({ type }) => type === "PodScheduled")?.message;
    },
  };
}

test("a gang: no pod is bound before there is room for all of them", async () => {
  const { node, group, member, placement, condition, message, advance, settled } =
    await gangCluster();
  await node("n1", { cpu: "2" });
  await member("a", "g");
  await member("b", "g");
  await settled();
  expect(await placement()).toEqual({ a: undefined, b: undefined });
  // Pods that wait before the queue have no condition.
  expect(await message("a")).toBeUndefined();
  await group("g", { gang: { minCount: 3 } });
  await settled();
  expect([await message("a"), await condition("g")]).toEqual([undefined, undefined]);
  await member("c", "g");
  await settled();
  expect(await placement()).toEqual({ a: undefined, b: undefined, c: undefined });
  expect(await condition("g")).toEqual(["False", "Unschedulable", "pod group is unschedulable"]);
  const waiting =
    "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or more plugins asked to wait and no plugin rejected pod";
  // Which of them are tried first is open: they were created at the same time.
  expect([await message("a"), await message("b"), await message("c")].sort()).toEqual([
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    waiting,
    waiting,
  ]);
  await node("n2", { cpu: "1" });
  await advance("20s");
  expect(Object.values(await placement()).sort()).toEqual(["n1", "n1", "n2"]);
  expect(await condition("g")).toEqual(["True", "Scheduled", ""]);
});

test("a gang: pods beyond the least number may wait, and the group stays scheduled", async () => {
  const { node, group, member, placement, condition, message, settled } = await gangCluster();
  await node("n1", { cpu: "2" });
  await group("g", { gang: { minCount: 2 } });
  for (const name of ["a", "b", "c"]) await member(name, "g");
  await settled();
  const nodes = Object.values(await placement());
  expect(nodes.filter((name) => name === "n1")).toHaveLength(2);
  expect(await condition("g")).toEqual(["True", "Scheduled", ""]);
  const messages = [await message("a"), await message("b"), await message("c")];
  expect(messages.filter((text) => text?.includes("Insufficient cpu"))).toHaveLength(1);
});

test("a gang: one that waits keeps nothing from another that fits", async () => {
  const { node, group, member, placement, settled } = await gangCluster();
  await node("n1", { cpu: "2" });
  await group("large", { gang: { minCount: 3 } });
  await group("small", { gang: { minCount: 2 } });
  for (const name of ["l1", "l2", "l3"]) await member(name, "large");
  for (const name of ["s1", "s2"]) await member(name, "small");
  await settled();
  expect(await placement()).toEqual({
    ...{ l1: undefined, l2: undefined, l3: undefined },
    ...{ s1: "n1", s2: "n1" },
  });
});

test("a gang evicts pods of lower priority only where that completes it", async () => {
  const { client, node, group, member, placement, condition, advance, settled, pod } =
    await gangCluster();
  await node("n1", { cpu: "2" });
  for (const name of ["low1", "low2"]) await pod(name, asking({ cpu: "1" }));
  await settled();
  await group("g", { gang: { minCount: 2 } });
  const priorityClassName = "system-cluster-critical";
  for (const name of ["a", "b"]) await member(name, "g", { priorityClassName });
  await settled();
  expect((await condition("g"))?.[2]).toBe(
    "pod group is unschedulable, pod group is waiting for preemption to complete",
  );
  // Nobody ends the evicted pods: there is no kubelet.
  for (const name of ["low1", "low2"])
    await client.delete(Pod, { name, namespace: "default" }, { gracePeriodSeconds: 0 });
  await advance("20s");
  expect(await placement()).toEqual({ a: "n1", b: "n1" });
});

test("a basic group: pods that fit are bound, and others wait", async () => {
  const { node, group, member, placement, settled } = await gangCluster();
  await node("n1", { cpu: "1" });
  await group("g", { basic: {} });
  for (const name of ["a", "b"]) await member(name, "g");
  await settled();
  expect(await placement()).toEqual({ a: "n1", b: undefined });
});

test("pods of one group with different schedulers are not scheduled", async () => {
  const { node, group, member, message, start, stop, settled } = await gangCluster();
  await stop();
  const features = new Set(["GenericWorkload", "GangScheduling"]);
  await start({
    features,
    configuration: { profiles: [{ schedulerName: "default-scheduler" }, { schedulerName: "b" }] },
  });
  await node("n1", { cpu: "4" });
  await member("a", "g");
  await member("b", "g", { schedulerName: "b" });
  await group("g", { gang: { minCount: 2 } });
  await settled();
  expect(await message("a")).toBe(
    'all pods in a single pod group should have the same .spec.schedulerName set, got: "default-scheduler" and "b"',
  );
});

test("metrics of groups are counted by result", async () => {
  const { node, group, member, metrics, settled } = await gangCluster();
  await node("n1", { cpu: "2" });
  await group("g", { gang: { minCount: 2 } });
  for (const name of ["a", "b"]) await member(name, "g");
  await settled();
  expect(metrics.text()).toContain(
    'scheduler_podgroup_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
  );
});
