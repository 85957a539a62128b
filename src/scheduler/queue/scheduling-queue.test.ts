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

/** Is told of nodes that are added, and thinks that those called `good` help; and of pods that go. */
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
  /** Tries the next pod in vain. */
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

test("pods are tried in the order that the plugin for it has", () => {
  const { queue, add } = queueOf();
  add("low", { spec: { priority: 1 } });
  add("high", { spec: { priority: 9 } });
  expect([queue.pop(), queue.pop(), queue.pop()].map((pod) => pod?.info.name)).toEqual([
    "high",
    "low",
    undefined,
  ]);
});

test("a pod that was turned away waits for what may help, and for nothing else", () => {
  const { queue, add, reject } = queueOf();
  add("p");
  reject("Hinting");
  expect(queue.pending()).toMatchObject({ unschedulable: ["default/p"] });
  queue.move(nodeAdd("bad"));
  queue.move({ event: assignedPodAdd, now: aPod("other") });
  expect(queue.pop()).toBeUndefined();
  queue.move(nodeAdd("good"));
  // It would have to wait a second, but there is nothing else to do.
  expect(queue.pending()).toMatchObject({ backoff: ["default/p"], unschedulable: [] });
  expect(queue.pop()?.attempts).toBe(2);
});

test("who is told of new nodes is told when their taints change, too: it is then that they can be used", () => {
  const { queue, add, reject } = queueOf();
  add("p");
  reject("Hinting");
  const node = { old: aNode("bad", { spec: { taints: [] } }), now: aNode("bad") };
  queue.move({ event: { resource: nodeResource, action: actions.updateNodeLabel }, ...node });
  expect(queue.pending()).toMatchObject({ unschedulable: ["default/p"] });
  queue.move({ event: { resource: nodeResource, action: actions.updateNodeTaint }, ...node });
  expect(queue.pending()).toMatchObject({ backoff: ["default/p"] });
});

test("what happened while a pod was tried is not lost", () => {
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

test("a pod with which something went wrong is tried again after its backoff", async () => {
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

test("a pod that waits for a plugin is tried at once when it is told", () => {
  const { queue, add } = queueOf();
  add("p");
  const pod = queue.pop() as QueuedPod;
  pod.pendingPlugins = new Set(["Hinting"]);
  queue.addUnschedulable(pod);
  queue.move(nodeAdd("good"));
  expect(queue.pending()).toMatchObject({ active: ["default/p"] });
});

test("a gated pod is not tried before its gates are gone, whatever happens", () => {
  const { queue, add } = queueOf();
  const gated = add("p", { spec: { schedulingGates: [{ name: "g" }] } });
  expect(queue.sizes).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 1 });
  queue.move(nodeAdd("good"));
  queue.move({ event: assignedPodDelete, old: aPod("other", { spec: { nodeName: "n" } }) });
  expect(queue.pop()).toBeUndefined();
  queue.update(gated, aPod("p"));
  expect(queue.pop()?.info.name).toBe("p");
});

test("a pod that nothing helps is tried anyway after five minutes", async () => {
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

test("a gated pod that waits too long is looked at, and waits on", async () => {
  const { clock, queue, add } = queueOf();
  add("p", { spec: { schedulingGates: [{ name: "g" }] } });
  await clock.advance(3_600_000);
  expect(queue.sizes.gated).toBe(1);
  expect(queue.pop()).toBeUndefined();
});

test("a pod that changes is tried as it is now, and only a change that may help is a reason to", () => {
  const { queue, add, reject } = queueOf();
  const pod = add("p");
  reject("Hinting");
  const annotated = aPod("p", { status: { message: "x" } });
  queue.update(pod, annotated);
  expect(queue.pending()).toMatchObject({ unschedulable: ["default/p"] });
  queue.update(annotated, aPod("p", { labels: { a: "b" } }));
  expect(queue.pop()?.info.pod.metadata.labels).toEqual({ a: "b" });
});

test("a pod that changes while it waits for its turn moves to its new place", () => {
  const { queue, add } = queueOf();
  const first = add("first", { spec: { priority: 2 } });
  add("second", { spec: { priority: 1 } });
  queue.update(first, aPod("first", { spec: { priority: 0 } }));
  expect(queue.pop()?.info.name).toBe("second");
});

test("a pod that goes is tried no more", () => {
  const { queue, add, reject } = queueOf();
  const waiting = add("waiting");
  reject("Hinting");
  const ready = add("ready");
  queue.delete(waiting);
  queue.delete(ready);
  queue.move(nodeAdd("good"));
  expect(queue.pop()).toBeUndefined();
});

test("activate: pods are tried at once, those that are being tried as soon as they are turned away", () => {
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

test("nominatedPods: those that wait for a node, wherever they are", () => {
  const { queue, add, reject } = queueOf();
  add("p", { status: { nominatedNodeName: "n" } });
  expect(queue.nominatedPods("n").map(({ name }) => name)).toEqual(["p"]);
  reject("Hinting");
  expect(queue.nominatedPods("n").map(({ name }) => name)).toEqual(["p"]);
  expect(queue.nominatedPods("m")).toEqual([]);
});

test("close: nothing is handed out any more, and no timer is left", () => {
  const { clock, queue, add, reject } = queueOf();
  add("p");
  reject();
  add("q");
  queue.close();
  expect(queue.pop()).toBeUndefined();
  expect(clock.pending).toBe(0);
});
