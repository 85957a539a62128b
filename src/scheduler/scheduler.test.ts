import { afterEach, expect, test } from "vitest";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { Event } from "../api/events/v1/event.ts";
import {
  asking,
  podOf,
  type SchedulingCluster,
  schedulingCluster,
} from "./cluster.test-support.ts";
import { createScheduler } from "./scheduler.ts";

let cluster: SchedulingCluster;
afterEach(() => cluster.end());

const scheduled = ({ status }: Pod) =>
  status.conditions?.find(({ type }) => type === "PodScheduled");

test("a pod without a node is bound to one, and has an event", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.settled();
  const web = await cluster.getPod("web");
  expect(web.spec.nodeName).toBe("n1");
  expect(scheduled(web)).toMatchObject({ status: "True" });
  expect(await cluster.podEvents()).toEqual([
    "Scheduled web: Successfully assigned default/web to n1",
  ]);
});

test("events are written to events.k8s.io, with the profile as reporting controller", async () => {
  cluster = await schedulingCluster({
    configuration: {
      profiles: [{ schedulerName: "default-scheduler" }, { schedulerName: "mine" }],
    },
  });
  await cluster.node("n1", { cpu: "1" });
  await cluster.pod("web", { schedulerName: "mine" });
  await cluster.pod("big", asking({ cpu: "2" }));
  await cluster.settled();
  const { items } = await cluster.client.list(Event, {});
  const podEvents = items.map(({ regarding, reportingController, action, type, reason }) =>
    [regarding?.name, reportingController, action, type, reason].join(" "),
  );
  expect(podEvents.sort()).toEqual([
    "big default-scheduler Scheduling Warning FailedScheduling",
    "web mine Binding Normal Scheduled",
  ]);
});

test("a pod of another schedulerName is ignored", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1");
  await cluster.pod("theirs", { schedulerName: "another" });
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ theirs: undefined });
  expect(await cluster.podEvents()).toEqual([]);
});

test("without nodes a pod is unschedulable, and is retried until there is one", async () => {
  cluster = await schedulingCluster();
  await cluster.pod("web");
  await cluster.settled();
  expect(scheduled(await cluster.getPod("web"))).toMatchObject({
    status: "False",
    reason: "Unschedulable",
    message: "no nodes available to schedule pods",
  });
  await cluster.node("n1");
  await cluster.advance("15s");
  expect(await cluster.placement()).toEqual({ web: "n1" });
});

test("a missing volume claim is reported before nodes are filtered", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1");
  await cluster.pod("web", {
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
  } as never);
  await cluster.settled();
  expect(scheduled(await cluster.getPod("web"))?.message).toBe(
    '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
  );
});

test("the status of a pod that fits no node counts the nodes of each reason", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1", { cpu: "1" });
  await cluster.node("n2", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } });
  await cluster.pod("big", asking({ cpu: "2" }));
  await cluster.settled();
  const message =
    "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
  expect(scheduled(await cluster.getPod("big"))).toMatchObject({
    reason: "Unschedulable",
    message,
  });
  expect(await cluster.podEvents()).toEqual([`FailedScheduling big: ${message}`]);
});

test("a terminating pod is not scheduled, and has an event", async () => {
  cluster = await schedulingCluster();
  await cluster.stop();
  await cluster.node("n1");
  const doomed = podOf("doomed");
  await cluster.client.create(Pod, {
    ...doomed,
    metadata: { ...doomed.metadata, finalizers: ["example.com/hold"] },
  } as never);
  await cluster.client.delete(Pod, { name: "doomed", namespace: "default" });
  await cluster.start();
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ doomed: undefined });
  expect(await cluster.podEvents()).toEqual([
    "FailedScheduling doomed: skip schedule deleting pod: default/doomed",
  ]);
});

test("existing pods and nodes are in the cache before the first pod is scheduled", async () => {
  cluster = await schedulingCluster();
  await cluster.stop();
  await cluster.node("full", { pods: "1" });
  await cluster.node("free");
  await cluster.pod("old", { nodeName: "full" });
  for (const name of ["a", "b", "c"]) await cluster.pod(name);
  await cluster.start();
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ old: "full", a: "free", b: "free", c: "free" });
});

test("no node is overcommitted, however many pods are created at once", async () => {
  cluster = await schedulingCluster();
  for (const name of ["n1", "n2"]) await cluster.node(name, { cpu: "3" });
  await Promise.all(
    Array.from({ length: 10 }, (_, i) => cluster.pod(`p${i}`, asking({ cpu: "1" }))),
  );
  await cluster.settled();
  const nodes = Object.values(await cluster.placement());
  expect(nodes.filter((node) => node === "n1")).toHaveLength(3);
  expect(nodes.filter((node) => node === "n2")).toHaveLength(3);
  expect(nodes.filter((node) => node === undefined)).toHaveLength(4);
});

test("completed pods use no resources", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1", { cpu: "1" });
  await cluster.pod("first", asking({ cpu: "1" }));
  await cluster.pod("second", asking({ cpu: "1" }));
  await cluster.settled();
  const key = { name: "first", namespace: "default" };
  await cluster.client.patch(Pod, key, { merge: { status: { phase: "Succeeded" } } } as never, {
    subresource: "status",
  });
  await cluster.advance("2s");
  expect(await cluster.placement()).toEqual({ first: "n1", second: "n1" });
});

test.each<[string, (cluster: SchedulingCluster) => Promise<unknown>]>([
  ["a node comes", (one) => one.node("n2", { labels: { disk: "ssd" } })],
  [
    "a node gets a label",
    ({ client }) =>
      client.patch(Node, { name: "n1" }, { merge: { metadata: { labels: { disk: "ssd" } } } }),
  ],
])("a pod that waits is scheduled when %s", async (_, happens) => {
  cluster = await schedulingCluster();
  await cluster.node("n1");
  await cluster.pod("picky", { nodeSelector: { disk: "ssd" } });
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ picky: undefined });
  await happens(cluster);
  await cluster.advance("2s");
  expect((await cluster.placement()).picky).toBeDefined();
});

test.each<[string, (cluster: SchedulingCluster) => Promise<unknown>]>([
  [
    "a pod goes",
    ({ client }) =>
      client.delete(Pod, { name: "first", namespace: "default" }, { gracePeriodSeconds: 0 }),
  ],
  [
    "a node gets more to give",
    ({ client }) =>
      client.patch(
        Node,
        { name: "n1" },
        { merge: { status: { allocatable: { cpu: "2" } } } } as never,
        { subresource: "status" },
      ),
  ],
])("a pod that found no room is scheduled when %s", async (_, happens) => {
  cluster = await schedulingCluster();
  await cluster.node("n1", { cpu: "1" });
  await cluster.pod("first", asking({ cpu: "1" }));
  await cluster.pod("second", asking({ cpu: "1" }));
  await cluster.settled();
  expect((await cluster.placement()).second).toBeUndefined();
  await happens(cluster);
  await cluster.advance("2s");
  expect((await cluster.placement()).second).toBe("n1");
});

test("a pod is scheduled when its node is uncordoned, a taint is removed, or its gates are removed", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1", {
    spec: { unschedulable: true, taints: [{ key: "k", effect: "NoSchedule" }] },
  });
  await cluster.pod("web", { schedulingGates: [{ name: "g" }] } as never);
  await cluster.settled();
  expect(scheduled(await cluster.getPod("web"))).toMatchObject({ reason: "SchedulingGated" });
  const key = { name: "web", namespace: "default" };
  await cluster.client.patch(Pod, key, { merge: { spec: { schedulingGates: null } } } as never);
  await cluster.settled();
  expect(scheduled(await cluster.getPod("web"))?.message).toContain("1 node(s) were unschedulable");
  await cluster.client.patch(Node, { name: "n1" }, {
    merge: { spec: { unschedulable: null, taints: [{ key: "k", effect: "NoSchedule" }] } },
  } as never);
  await cluster.advance("2s");
  expect(scheduled(await cluster.getPod("web"))?.message).toContain("untolerated taint(s)");
  await cluster.client.patch(Node, { name: "n1" }, { merge: { spec: { taints: null } } } as never);
  await cluster.advance("2s");
  expect(await cluster.placement()).toEqual({ web: "n1" });
});

test("metrics have upstream's names", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1", { cpu: "1" });
  await cluster.pod("web");
  await cluster.pod("big", asking({ cpu: "2" }));
  await cluster.settled();
  const text = cluster.metrics.text();
  for (const line of [
    'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
    'scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 1',
    "scheduler_scheduling_algorithm_duration_seconds_count 2",
    'scheduler_pending_pods{queue="unschedulable"} 1',
    'scheduler_pending_pods{queue="active"} 0',
    'scheduler_cache_size{type="nodes"} 1',
    'scheduler_cache_size{type="pods"} 1',
    "scheduler_preemption_attempts_total 1",
    'scheduler_queue_incoming_pods_total{event="UnschedulablePodAdd",queue="active"} 2',
    'scheduler_queue_incoming_pods_total{event="ScheduleAttemptFailure",queue="unschedulable"} 1',
    'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
    'scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",profile="default-scheduler",status="Success"} 2',
    'scheduler_goroutines{operation="binding"} 0',
  ])
    expect(text).toContain(line);
});

test("how long plugins run is measured for about a tenth of the attempts", async () => {
  cluster = await schedulingCluster();
  for (const name of ["n1", "n2"]) await cluster.node(name);
  for (let i = 0; i < 100; i++) await cluster.pod(`p${i}`, asking({ cpu: "1m" }));
  await cluster.settled();
  const counts = /^scheduler_plugin_execution_duration_seconds_count\{(.*)\} (\d+)$/gm;
  const measured = new Map(
    Array.from(cluster.metrics.text().matchAll(counts), ([, labels = "", count]) => [
      labels,
      Number(count),
    ]),
  );
  const attempts = measured.get(
    'extension_point="PreScore",plugin="NodeResourcesFit",status="Success"',
  );
  expect(attempts).toBeGreaterThan(0);
  expect(attempts).toBeLessThan(30);
  // Each of them tries both nodes.
  const filtered = measured.get(
    'extension_point="Filter",plugin="NodeResourcesFit",status="Success"',
  );
  expect(filtered).toBe(2 * (attempts ?? 0));
});

test("a restarted scheduler continues from the cluster's state", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1", { cpu: "2" });
  await cluster.pod("a", asking({ cpu: "1" }));
  await cluster.settled();
  await cluster.stop();
  for (const name of ["b", "c"]) await cluster.pod(name, asking({ cpu: "1" }));
  await cluster.start();
  await cluster.settled();
  const { a, b, c } = await cluster.placement();
  expect([a, b, c].filter((node) => node === "n1")).toHaveLength(2);
});

test("equal seeds lead to equal placements", async () => {
  const place = async (seed: number) => {
    cluster = await schedulingCluster({ seed });
    for (let i = 0; i < 5; i++) await cluster.node(`n${i}`);
    for (let i = 0; i < 8; i++) await cluster.pod(`p${i}`);
    await cluster.settled();
    return cluster.placement();
  };
  const first = await place(3);
  await cluster.end();
  const second = await place(3);
  expect(second).toEqual(first);
});

test("an idle scheduler writes nothing, and its only timer is that of unschedulable pods", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1", { cpu: "1" });
  await cluster.pod("big", asking({ cpu: "2" }));
  await cluster.pod("web");
  await cluster.settled();
  const version = async () => (await cluster.client.list(Pod, {})).metadata.resourceVersion;
  const before = await version();
  await cluster.advance("4m");
  expect(await version()).toBe(before);
});

test("an invalid configuration is rejected at once", async () => {
  cluster = await schedulingCluster();
  const own = { NodeName: () => ({ name: "NodeName" }) };
  expect(() => createScheduler({ plugins: own })).toThrow("a plugin named NodeName already exists");
  expect(() => createScheduler({ configuration: { parallelism: 0 } })).toThrow("parallelism");
  const extenders = [{ urlPrefix: "http://example.com" }];
  expect(() => createScheduler({ configuration: { extenders } })).toThrow(
    "extenders need the option connectExtender",
  );
});
