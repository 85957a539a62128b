import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { noMetrics } from "../../base/metrics.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import {
  actions,
  assignedPodAdd,
  assignedPodDelete,
  nodeResource,
  podResource,
} from "../framework/cluster-event.ts";
import { aNode, aPod, type PodParts } from "../framework/framework.test-support.ts";
import type { Plugin } from "../framework/plugin.ts";
import type { With } from "../framework/plugin-lists.ts";
import type { QueuedPod } from "../framework/queued-pod.ts";
import { status } from "../framework/status.ts";
import { schedulerMetrics } from "../scheduler-metrics.ts";
import { QueueingHints } from "./queueing-hints.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

/** Registers node additions, with a hint that accepts nodes named `good`, and pod deletions. */
const hinting: Plugin = {
  name: "Hinting",
  filter: () => undefined,
  eventsToRegister: () => [
    {
      event: { resource: nodeResource, action: actions.add },
      hint: (_, { now }) =>
        (now as { metadata: { name: string } }).metadata.name === "good" ? "Queue" : "QueueSkip",
    },
    { event: { resource: podResource, action: actions.delete } },
    {
      event: { resource: podResource, action: actions.updatePodLabel },
      hint: (pod, { now }) =>
        (now as Pod).metadata.uid === pod.metadata.uid ? "Queue" : "QueueSkip",
    },
  ],
};
const gates: With<"preEnqueue"> = {
  name: "Gates",
  preEnqueue: ({ spec }) =>
    (spec.schedulingGates ?? []).length > 0 ? status("UnschedulableAndUnresolvable") : undefined,
  eventsToRegister: () => [
    { event: { resource: podResource, action: actions.updatePodSchedulingGatesEliminated } },
  ],
};

function queueOf() {
  const clock = new VirtualClock(1_000_000);
  const metrics = schedulerMetrics(noMetrics);
  const pods = new Map<string, Pod>();
  const plugins = new Map<string, Plugin>([
    ["Hinting", hinting],
    ["Gates", gates],
  ]);
  const hints = new QueueingHints(new Map([["default-scheduler", { plugins }]]), {
    metrics,
    ticks: () => 0,
    onFault: (error) => {
      throw error;
    },
  });
  const queue = new SchedulingQueue({
    clock,
    metrics,
    hints,
    less: (a, b) => a.info.priority > b.info.priority,
    preEnqueue: () => [gates],
    initialBackoffMs: 1000,
    maxBackoffMs: 10_000,
    maxUnschedulableMs: 300_000,
    current: (key) => pods.get(key),
    onReady: () => undefined,
  });
  const add = (name: string, more: PodParts = {}): Pod => {
    const pod = aPod(name, more);
    pods.set(`default/${name}`, pod);
    queue.add(pod);
    return pod;
  };
  /** Pops the next pod and rejects it. */
  const reject = (...by: string[]): QueuedPod => {
    const pod = queue.pop();
    if (!pod) throw new Error("nothing to try");
    pod.unschedulablePlugins = new Set(by);
    queue.addUnschedulable(pod);
    return pod;
  };
  return { clock, queue, add, reject };
}

const nodeAdd = (name: string) => ({
  event: { resource: nodeResource, action: actions.add },
  now: aNode(name),
});

test("pods are popped in the order of the QueueSort plugin", () => {
  const { queue, add } = queueOf();
  add("low", { spec: { priority: 1 } });
  add("high", { spec: { priority: 9 } });
  expect([queue.pop(), queue.pop(), queue.pop()].map((pod) => pod?.info.name)).toEqual([
    "high",
    "low",
    undefined,
  ]);
});

test("a rejected pod is requeued only by events that may help", () => {
  const { queue, add, reject } = queueOf();
  add("p");
  reject("Hinting");
  expect(queue.pending()).toMatchObject({ unschedulable: ["default/p"] });
  queue.move(nodeAdd("bad"));
  queue.move({ event: assignedPodAdd, now: aPod("other") });
  expect(queue.pop()).toBeUndefined();
  queue.move(nodeAdd("good"));
  // It is in backoff, but the active queue is empty.
  expect(queue.pending()).toMatchObject({ backoff: ["default/p"], unschedulable: [] });
  expect(queue.pop()?.attempts).toBe(2);
});

test("plugins that registered node additions also get taint updates: only then can the node be used", () => {
  const { queue, add, reject } = queueOf();
  add("p");
  reject("Hinting");
  const node = { old: aNode("bad", { spec: { taints: [] } }), now: aNode("bad") };
  queue.move({ event: { resource: nodeResource, action: actions.updateNodeLabel }, ...node });
  expect(queue.pending()).toMatchObject({ unschedulable: ["default/p"] });
  queue.move({ event: { resource: nodeResource, action: actions.updateNodeTaint }, ...node });
  expect(queue.pending()).toMatchObject({ backoff: ["default/p"] });
});

test("events during an attempt are not lost", () => {
  const { queue, add } = queueOf();
  add("p");
  const pod = queue.pop() as QueuedPod;
  queue.move(nodeAdd("good"));
  pod.unschedulablePlugins = new Set(["Hinting"]);
  queue.addUnschedulable(pod);
  expect(queue.pending()).toMatchObject({ backoff: ["default/p"] });
  const again = queue.pop() as QueuedPod;
  again.unschedulablePlugins = new Set(["Hinting"]);
  queue.addUnschedulable(again);
  expect(queue.pending()).toMatchObject({ unschedulable: ["default/p"] });
  expect(queue.inFlightEvents).toEqual([]);
});

test("a pod that failed with an error is retried after its backoff", async () => {
  const { clock, queue, add, reject } = queueOf();
  add("p");
  reject();
  expect(queue.pop()).toBeUndefined();
  await clock.advance(1999);
  expect(queue.pop()).toBeUndefined();
  await clock.advance(1);
  expect(queue.pop()?.attempts).toBe(2);
  expect(clock.pending).toBe(0);
});

test("a pod rejected with Pending is requeued at once by its plugin's event", () => {
  const { queue, add } = queueOf();
  add("p");
  const pod = queue.pop() as QueuedPod;
  pod.pendingPlugins = new Set(["Hinting"]);
  queue.addUnschedulable(pod);
  queue.move(nodeAdd("good"));
  expect(queue.pending()).toMatchObject({ active: ["default/p"] });
});

test("a gated pod is not tried until its gates are removed, whatever happens", () => {
  const { queue, add } = queueOf();
  const gated = add("p", { spec: { schedulingGates: [{ name: "g" }] } });
  expect(queue.sizes).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 1 });
  queue.move(nodeAdd("good"));
  queue.move({ event: assignedPodDelete, old: aPod("other", { spec: { nodeName: "n" } }) });
  expect(queue.pop()).toBeUndefined();
  queue.update(gated, aPod("p"));
  expect(queue.pop()?.info.name).toBe("p");
});

test("an unschedulable pod is retried after five minutes without any event", async () => {
  const { clock, queue, add, reject } = queueOf();
  add("p");
  reject("Hinting");
  await clock.advance(300_000);
  expect(queue.pop()).toBeUndefined();
  await clock.advance(30_000);
  const pod = queue.pop();
  expect(pod).toMatchObject({ attempts: 2, wasFlushed: true });
  expect(clock.pending).toBe(0);
});

test("a gated pod is checked again after five minutes, and stays gated", async () => {
  const { clock, queue, add } = queueOf();
  add("p", { spec: { schedulingGates: [{ name: "g" }] } });
  await clock.advance(3_600_000);
  expect(queue.sizes.gated).toBe(1);
  expect(queue.pop()).toBeUndefined();
});

test("an updated pod is tried in its new version, and requeued only by a change that may help", () => {
  const { queue, add, reject } = queueOf();
  const pod = add("p");
  reject("Hinting");
  const annotated = aPod("p", { status: { message: "x" } });
  queue.update(pod, annotated);
  expect(queue.pending()).toMatchObject({ unschedulable: ["default/p"] });
  queue.update(annotated, aPod("p", { labels: { a: "b" } }));
  expect(queue.pop()?.info.pod.metadata.labels).toEqual({ a: "b" });
});

test("a pod that is updated in the active queue moves to its new position", () => {
  const { queue, add } = queueOf();
  const first = add("first", { spec: { priority: 2 } });
  add("second", { spec: { priority: 1 } });
  queue.update(first, aPod("first", { spec: { priority: 0 } }));
  expect(queue.pop()?.info.name).toBe("second");
});

test("a deleted pod is not tried", () => {
  const { queue, add, reject } = queueOf();
  const waiting = add("waiting");
  reject("Hinting");
  const ready = add("ready");
  queue.delete(waiting);
  queue.delete(ready);
  queue.move(nodeAdd("good"));
  expect(queue.pop()).toBeUndefined();
});

test("activate: pending pods move to the active queue at once, pods in flight after their rejection", () => {
  const { queue, add, reject } = queueOf();
  const waiting = add("waiting");
  reject("Hinting");
  queue.activate([waiting]);
  expect(queue.pending()).toMatchObject({ active: ["default/waiting"] });
  const inFlight = queue.pop() as QueuedPod;
  queue.activate([waiting]);
  inFlight.unschedulablePlugins = new Set(["Hinting"]);
  queue.addUnschedulable(inFlight);
  expect(queue.pending()).toMatchObject({ backoff: ["default/waiting"] });
});

test("nominatedPods: includes pods in any part of the queue", () => {
  const { queue, add, reject } = queueOf();
  add("p", { status: { nominatedNodeName: "n" } });
  expect(queue.nominatedPods("n").map(({ name }) => name)).toEqual(["p"]);
  reject("Hinting");
  expect(queue.nominatedPods("n").map(({ name }) => name)).toEqual(["p"]);
  expect(queue.nominatedPods("m")).toEqual([]);
});

test("close: pops nothing more, and leaves no timer", () => {
  const { clock, queue, add, reject } = queueOf();
  add("p");
  reject();
  add("q");
  queue.close();
  expect(queue.pop()).toBeUndefined();
  expect(clock.pending).toBe(0);
});
