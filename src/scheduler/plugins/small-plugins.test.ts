import { expect, test } from "vitest";
import { actions, nodeResource, podResource } from "../framework/cluster-event.ts";
import {
  aNode,
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  type PodParts,
  pluginOf,
} from "../framework/framework.test-support.ts";
import { queuedPod } from "../framework/queued-pod.ts";
import { statusMessage } from "../framework/status.ts";
import { nodeName } from "./node-name.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { normalizeScore } from "./normalize-score.ts";
import { prioritySort } from "./priority-sort.ts";
import { schedulingGates } from "./scheduling-gates.ts";

test("PrioritySort: the more important first, then who waits longer", () => {
  const { less } = pluginOf(prioritySort);
  const pod = (priority: number, at: number) =>
    queuedPod(aPodInfo("p", { spec: { priority } }), at);
  expect(less?.(pod(2, 9), pod(1, 0))).toBe(true);
  expect(less?.(pod(1, 0), pod(2, 9))).toBe(false);
  expect(less?.(pod(1, 1), pod(1, 2))).toBe(true);
  expect(less?.(pod(1, 2), pod(1, 2))).toBe(false);
});

test("SchedulingGates: a pod waits while it has a gate", () => {
  const plugin = pluginOf(schedulingGates);
  const gated = aPod("p", { spec: { schedulingGates: [{ name: "a" }, { name: "b" }] } });
  expect(plugin.preEnqueue?.(gated)).toEqual({
    code: "UnschedulableAndUnresolvable",
    reasons: ["waiting for scheduling gates: [a b]"],
  });
  expect(plugin.preEnqueue?.(aPod("p"))).toBeUndefined();
  const removed = { resource: podResource, action: actions.updatePodSchedulingGatesEliminated };
  expect(hinted(plugin, gated, { ...removed, now: aPod("p") })).toBe("Queue");
  expect(hinted(plugin, gated, { ...removed, now: aPod("q") })).toBe("QueueSkip");
});

test("NodeName: a pod that names a node goes to no other", () => {
  const plugin = pluginOf(nodeName);
  const nodes = [aNodeInfo("a"), aNodeInfo("b")];
  expect(filtered(plugin, aPodInfo("p"), nodes)).toBe("Skip");
  expect(filtered(plugin, aPodInfo("p", { spec: { nodeName: "b" } }), nodes)).toEqual([
    "node(s) didn't match the requested node name",
    "",
  ]);
});

const tolerating = {
  spec: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] },
};

test("NodeUnschedulable: pods stay off cordoned nodes, unless they tolerate it", () => {
  const plugin = pluginOf(nodeUnschedulable);
  const nodes = [aNodeInfo("a", { spec: { unschedulable: true } }), aNodeInfo("b")];
  expect(filtered(plugin, aPodInfo("p"), nodes)).toEqual(["node(s) were unschedulable", ""]);
  expect(filtered(plugin, aPodInfo("p", tolerating), nodes)).toBe("Skip");
});

test("NodeUnschedulable: a node that is uncordoned may help, and so may a toleration", () => {
  const plugin = pluginOf(nodeUnschedulable);
  const [cordoned, open] = [aNode("n", { spec: { unschedulable: true } }), aNode("n")];
  const node = { resource: nodeResource, action: actions.updateNodeTaint };
  expect(hinted(plugin, aPod("p"), { ...node, old: cordoned, now: open })).toBe("Queue");
  expect(hinted(plugin, aPod("p"), { ...node, old: open, now: open })).toBe("QueueSkip");
  expect(hinted(plugin, aPod("p"), { ...node, now: cordoned })).toBe("QueueSkip");
  const pod = { resource: podResource, action: actions.updatePodToleration };
  expect(hinted(plugin, aPod("p"), { ...pod, old: aPod("p"), now: aPod("p", tolerating) })).toBe(
    "Queue",
  );
  const other = aPod("p", { spec: { tolerations: [{ key: "x" }] } });
  expect(hinted(plugin, aPod("p"), { ...pod, old: aPod("p"), now: other })).toBe("QueueSkip");
});

const withPort = (hostPort: number, more: object = {}): PodParts => ({
  spec: {
    containers: [{ name: "c", ports: [{ containerPort: 1, hostPort, ...more }] }],
    nodeName: "n",
  },
});

test.each<[string, PodParts, string | string[]]>([
  [
    "the same port is taken",
    withPort(80),
    ["node(s) didn't have free ports for the requested pod ports"],
  ],
  ["another port is free", withPort(81), [""]],
  ["another protocol is free", withPort(80, { protocol: "UDP" }), [""]],
  ["a pod that wants none does not mind", {}, "Skip"],
])("NodePorts: %s", (_, parts, expected) => {
  const node = aNodeInfo("n", {}, [aPodInfo("other", withPort(80))]);
  expect(filtered(pluginOf(nodePorts), aPodInfo("p", parts), [node])).toEqual(expected);
});

test("NodePorts: only a pod that had the port helps when it goes", () => {
  const plugin = pluginOf(nodePorts);
  const gone = (old: object) => ({ resource: podResource, action: actions.delete, old });
  const waiting = aPod("p", withPort(80));
  expect(hinted(plugin, waiting, gone(aPod("q", withPort(80))))).toBe("Queue");
  expect(hinted(plugin, waiting, gone(aPod("q", withPort(81))))).toBe("QueueSkip");
  const nowhere = aPod("q", { spec: { ...withPort(80).spec, nodeName: undefined } });
  expect(hinted(plugin, waiting, gone(nowhere))).toBe("QueueSkip");
});

test.each([
  [[1, 2, 4], false, [25, 50, 100]],
  [[1, 2, 4], true, [75, 50, 0]],
  [[0, 0], false, [0, 0]],
  [[0, 0], true, [100, 100]],
])("normalizeScore: %j, reverse %s → %j", (values, reverse, expected) => {
  const scores = [...values];
  normalizeScore({ nodes: [], values: scores }, reverse);
  expect(scores).toEqual(expected);
});

test("statusMessage: nothing is said by consent", () => {
  expect(statusMessage(undefined)).toBe("");
});
