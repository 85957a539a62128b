import { expect, test } from "vitest";
import {
  actions,
  assignedPodAdd,
  assignedPodDelete,
  type ClusterEvent,
  eventLabel,
  eventMatches,
  forceActivate,
  nodeResource,
  podResource,
  podUpdate,
  unscheduledPodAdd,
} from "./cluster-event.ts";
import { aNode, aPod } from "./framework.test-support.ts";
import { nodeChanges, podChanges } from "./object-changes.ts";

const node = (action: number): ClusterEvent => ({ resource: nodeResource, action });

test.each<[ClusterEvent, ClusterEvent, boolean]>([
  [node(actions.add | actions.updateNodeLabel), node(actions.updateNodeLabel), true],
  [node(actions.add), node(actions.updateNodeLabel), false],
  [{ resource: podResource, action: actions.delete }, assignedPodDelete, true],
  [{ resource: podResource, action: actions.add }, unscheduledPodAdd, true],
  [{ resource: podResource, action: actions.add }, node(actions.add), false],
  [{ resource: "*", action: actions.all }, node(actions.delete), true],
  // A plugin that registers a specific update does not get unspecific ones.
  [
    { resource: podResource, action: actions.updatePodLabel },
    podUpdate(true, actions.update),
    false,
  ],
  [{ resource: podResource, action: actions.all }, podUpdate(true, actions.update), true],
])("eventMeans: %j means %j → %s", (registered, happened, expected) => {
  expect(eventMatches(registered, happened)).toBe(expected);
});

test("eventLabel: labels in metrics", () => {
  expect([assignedPodAdd, node(actions.updateNodeTaint), forceActivate].map(eventLabel)).toEqual([
    "AssignedPodAdd",
    "NodeUpdateNodeTaint",
    "ForceActivate",
  ]);
});

const labels = (events: readonly ClusterEvent[]) => events.map(eventLabel);

test("podChanges: each type of change has its own event", () => {
  const pod = aPod("p", { requests: { cpu: "2" }, labels: { a: "1" } });
  expect(
    labels(podChanges(aPod("p", { requests: { cpu: "1" }, labels: { a: "2" } }), pod)),
  ).toEqual(["UnschedulablePodUpdatePodLabel", "UnschedulablePodUpdatePodScaleDown"]);
  const gated = aPod("p", { spec: { schedulingGates: [{ name: "g" }] } });
  expect(labels(podChanges(aPod("p"), gated))).toEqual([
    "UnschedulablePodUpdatePodSchedulingGatesEliminated",
  ]);
  const tolerant = aPod("p", { spec: { tolerations: [{ operator: "Exists" }], nodeName: "n" } });
  expect(labels(podChanges(tolerant, aPod("p", { spec: { nodeName: "n" } })))).toEqual([
    "AssignedPodUpdatePodToleration",
  ]);
  expect(labels(podChanges(aPod("p"), aPod("p")))).toEqual(["UnschedulablePodUpdate"]);
});

test("nodeChanges: each type of change has its own event, and irrelevant ones have none", () => {
  const before = aNode("n", { spec: { unschedulable: true } });
  const after = aNode("n", {
    labels: { zone: "a" },
    allocatable: { cpu: "8" },
    annotations: { x: "y" },
    spec: { taints: [{ key: "k", effect: "NoSchedule" }] },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  const more = { ...after, status: { ...after.status, allocatable: { cpu: "8" } } };
  expect(labels(nodeChanges(more as never, before))).toEqual([
    "NodeUpdateNodeTaint",
    "NodeUpdateNodeAllocatable",
    "NodeUpdateNodeLabel",
    "NodeUpdateNodeTaint",
    "NodeUpdateNodeCondition",
    "NodeUpdateNodeAnnotation",
  ]);
  const withHeartbeat = (at: string) =>
    aNode("n", {
      status: { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: at }] },
    });
  expect(nodeChanges(withHeartbeat("2"), withHeartbeat("1"))).toEqual([]);
});
