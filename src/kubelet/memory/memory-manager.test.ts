import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { containersInOrder } from "../topology/containers-in-order.ts";
import { maskOf, nodesOf } from "../topology/numa-mask.ts";
import type { ResourceHints } from "../topology/topology-hint.ts";
import {
  assignmentsOn,
  blocksText,
  freeText,
  guaranteedPod,
  nodesWith,
} from "./memory.test-support.ts";
import { checkMemory } from "./memory-assignments.ts";
import { decodeMemoryCheckpoint, encodeMemoryCheckpoint } from "./memory-checkpoint.ts";
import { MemoryManager } from "./memory-manager.ts";
import { createMemoryMetrics } from "./memory-metrics.ts";
import type { MachineMemory } from "./memory-state.ts";

interface Hint {
  readonly nodes?: readonly number[] | undefined;
  readonly isPreferred?: boolean;
}

/** A manager of a machine; with the state of an earlier one. */
function managerOf(machine: MachineMemory, stored?: string) {
  const assignments = stored ? decodeMemoryCheckpoint(stored, "Static") : assignmentsOn(machine);
  checkMemory(assignments, machine);
  const metrics = new MetricsRegistry();
  const ended = new Set<string>();
  let saved = encodeMemoryCheckpoint("Static", assignments);
  const manager = new MemoryManager({
    ...{ assignments, metrics: createMemoryMetrics(metrics) },
    isActive: (podUid) => !ended.has(podUid),
    async save() {
      saved = encodeMemoryCheckpoint("Static", assignments);
    },
  });
  const allocate = async (pod: Pod, { nodes, isPreferred = false }: Hint = {}): Promise<string> => {
    const hint = { affinity: nodes && maskOf(nodes), isPreferred };
    for (const container of containersInOrder(pod)) await manager.allocate(pod, container, hint);
    const { uid = "" } = pod.metadata;
    return containersInOrder(pod)
      .map(({ name }) => blocksText(assignments.of(uid, name)))
      .join(", ");
  };
  const free = (type?: string): string => freeText(assignments.machine, type);
  return { manager, metrics, assignments, ended, allocate, free, saved: () => saved };
}

each<[what: string, machine: MachineMemory, containers: string, hint: Hint, expected: string[]]>([
  ["a node that has enough", nodesWith(2, 4), "app=3", {}, ["3@0", "1/1 4"]],
  ["the chosen node", nodesWith(2, 4), "app=3", { nodes: [1] }, ["3@1", "4 1/1"]],
  ["two nodes, one after the other", nodesWith(2, 4), "app=6", {}, ["6@01", "0/1 2/1"]],
  ["more than the chosen node", nodesWith(2, 4), "app=6", { nodes: [1] }, ["6@01", "0/1 2/1"]],
  ["huge pages, too", nodesWith(2, 4, 2), "app=1+2", {}, ["1@0 2@0:hugepages-1Gi", "3/2 4"]],
  [
    "huge pages of two nodes",
    nodesWith(2, 4, 2),
    "app=1+3",
    {},
    ["1@01 3@01:hugepages-1Gi", "3/2 4/2"],
  ],
  [
    "memory of init containers that is as much",
    nodesWith(1, 8),
    "init=1 init2=2 app=3 other=4",
    {},
    ["0@0, 0@0, 3@0, 4@0", "1/4"],
  ],
  [
    "memory of init containers that is more",
    nodesWith(1, 8),
    "init=4 init2=3 app=2 other=1",
    {},
    ["0@0, 1@0, 2@0, 1@0", "4/4"],
  ],
  [
    "memory of init containers in turn",
    nodesWith(1, 10),
    "init=7 init2=4 app=5 other=2",
    {},
    ["0@0, 0@0, 5@0, 2@0", "3/4"],
  ],
  [
    "no memory of sidecars",
    nodesWith(1, 8),
    "sidecar=2 init=1 app=3",
    {},
    ["2@0, 0@0, 3@0", "3/3"],
  ],
])("MemoryManager: gives %s", async (_, machine, containers, hint, [expected, left]) => {
  const { allocate, free } = managerOf(machine);
  expect(await allocate(guaranteedPod("p", containers), hint)).toBe(expected);
  expect(free()).toBe(left);
});

each<[what: string, before: string, containers: string, hint: Hint, why: string]>([
  [
    "more than there is",
    "",
    "app=9",
    {},
    "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available",
  ],
  [
    "more than is free where one node is not preferred",
    "app=3 other=3",
    "app=2",
    {},
    "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available",
  ],
  [
    "nodes of which one is used for itself",
    "app=1",
    "app=5",
    { nodes: [0, 1] },
    "[memorymanager] preferred hint violates NUMA node allocation",
  ],
  [
    "a node that has too little, and cannot be used with others",
    "app=3",
    "app=2",
    { nodes: [0] },
    "[memorymanager] failed to find NUMA nodes to extend the current topology hint",
  ],
])("MemoryManager: rejects %s", async (_, before, containers, hint, why) => {
  const { allocate, metrics, free } = managerOf(nodesWith(2, 4));
  if (before) await allocate(guaranteedPod("before", before));
  const left = free();
  await expect(allocate(guaranteedPod("p", containers), hint)).rejects.toThrow(why);
  expect(free()).toBe(left);
  expect(metrics.text()).toContain("kubelet_memory_manager_pinning_errors_total 1\n");
});

test("MemoryManager: a preferred hint is not replaced by one that is not", async () => {
  const { allocate } = managerOf(nodesWith(3, 4));
  await allocate(guaranteedPod("a", "app=3"), { nodes: [0] });
  await allocate(guaranteedPod("b", "app=3"), { nodes: [1] });
  await allocate(guaranteedPod("c", "app=3"), { nodes: [2] });
  await expect(allocate(guaranteedPod("d", "app=2"), { isPreferred: true })).rejects.toThrow(
    "[memorymanager] failed to get the default NUMA affinity",
  );
});

test("MemoryManager: other pods get nothing", async () => {
  const { manager, allocate, free } = managerOf(nodesWith(1, 4));
  const burstable = guaranteedPod("b", "app=1", { containers: [{ name: "app", resources: {} }] });
  const amounts = { cpu: "1", memory: "1Gi" };
  const whole = guaranteedPod("w", "app=1", { resources: { requests: amounts, limits: amounts } });
  for (const pod of [burstable, whole]) {
    expect(manager.concerns(pod)).toBe(false);
    expect(await allocate(pod)).toBe("");
    expect(manager.podHints(pod).size).toBe(0);
  }
  expect(free()).toBe("4");
});

test("MemoryManager: memory is free when its pod ends, noticed or not", async () => {
  const { manager, allocate, ended, free } = managerOf(nodesWith(2, 4));
  await allocate(guaranteedPod("a", "app=6"));
  await manager.release("a");
  expect(free()).toBe("4 4");
  await allocate(guaranteedPod("b", "app=6"));
  ended.add("b");
  expect(await allocate(guaranteedPod("c", "app=4"), { nodes: [1] })).toBe("4@1");
  expect(free()).toBe("4 0/1");
});

test("MemoryManager: init containers return theirs when a later container starts", async () => {
  const { manager, allocate, free, assignments } = managerOf(nodesWith(1, 8));
  const pod = guaranteedPod("p", "sidecar=1 init=4 app=2");
  await allocate(pod);
  expect(free()).toBe("3/3");
  await manager.starts(pod, { name: "debugger" });
  await manager.starts(pod, { name: "init" });
  expect(free()).toBe("3/3");
  await manager.starts(pod, { name: "app" });
  expect(free()).toBe("5/2");
  expect([...(assignments.pods.get("p")?.keys() ?? [])]).toEqual(["sidecar", "app"]);
});

test("MemoryManager: another kubelet continues, and gives ended init containers nothing", async () => {
  const machine = nodesWith(2, 4, 1);
  const first = managerOf(machine);
  const pod = guaranteedPod("p", "init=3 app=2+1");
  await first.allocate(pod, { nodes: [1] });
  await first.manager.starts(pod, { name: "app" });
  const second = managerOf(machine, first.saved());
  expect(await second.allocate(pod)).toBe(", 2@1 1@1:hugepages-1Gi");
  expect([second.free(), second.free("hugepages-1Gi")]).toEqual(["4 2/2", "1 0/2"]);
  expect(second.manager.nodesOf("p", "app")).toEqual([1]);
});

const textOf = (hints: ResourceHints): string =>
  Array.from(hints, ([name, list]) => {
    const texts = (list ?? []).map(
      ({ affinity = 0n, isPreferred }) => nodesOf(affinity).join("") + (isPreferred ? "!" : ""),
    );
    return `${name}: ${texts.join(" ")}`;
  }).join(", ");

each<[what: string, before: string, containers: string, expected: string]>([
  ["each node has enough", "", "app=2", "memory: 0! 1! 01"],
  ["both nodes are needed", "", "app=6", "memory: 01!"],
  ["there is not enough", "", "app=9", ""],
  ["one node is used for itself", "app=1", "app=2", "memory: 0! 1!"],
  ["both are used together", "app=5", "app=2", "memory: 01"],
  ["one node is full", "app=3", "app=2", "memory: 1!"],
  ["huge pages are short", "", "app=1+2", "memory: 01!, hugepages-1Gi: 01!"],
])("MemoryManager: hints: %s", async (_, before, containers, expected) => {
  const { manager, allocate } = managerOf(nodesWith(2, 4, 1));
  if (before) await allocate(guaranteedPod("before", before));
  const pod = guaranteedPod("p", containers);
  const [container] = containersInOrder(pod);
  expect(container && textOf(manager.hints(pod, container))).toBe(expected);
  expect(textOf(manager.podHints(pod))).toBe(expected);
});

test("MemoryManager: hints for what a container has are where it is", async () => {
  const { manager, allocate } = managerOf(nodesWith(2, 4));
  await allocate(guaranteedPod("p", "app=2"), { nodes: [1] });
  const hintsOf = (pod: Pod) =>
    containersInOrder(pod).map((one) => textOf(manager.hints(pod, one)));
  expect(hintsOf(guaranteedPod("p", "app=2"))).toEqual(["memory: 1!"]);
  expect(hintsOf(guaranteedPod("p", "app=3"))).toEqual([""]);
});
