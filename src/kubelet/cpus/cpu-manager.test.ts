import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { containersInOrder } from "../topology/containers-in-order.ts";
import { maskOf, nodesOf } from "../topology/numa-mask.ts";
import type { ResourceHints } from "../topology/topology-hint.ts";
import { CpuAssignments, checkAssignments } from "./cpu-assignments.ts";
import { decodeCpuCheckpoint, encodeCpuCheckpoint } from "./cpu-checkpoint.ts";
import { CpuManager } from "./cpu-manager.ts";
import { createCpuMetrics } from "./cpu-metrics.ts";
import { formatCpuSet } from "./cpu-set.ts";
import { guaranteedPod, type PolicyCase, policyOf } from "./cpus.test-support.ts";

/** A manager of a machine whose CPU 0 is reserved; with the state of an earlier one. */
function managerOf(given: PolicyCase, stored?: string) {
  const policy = policyOf(given);
  const all = new Set(policy.topology.places.keys());
  const assignments = stored ? decodeCpuCheckpoint(stored, "static") : new CpuAssignments();
  checkAssignments(assignments, { all, reserved: policy.reserved, isStrict: false });
  const metrics = new MetricsRegistry();
  const ended = new Set<string>();
  const changes: string[] = [];
  let saved = "";
  const manager = new CpuManager({
    ...{ policy, assignments, metrics: createCpuMetrics(metrics, policy) },
    isActive: (podUid) => !ended.has(podUid),
    sharedChanged: () => changes.push(formatCpuSet(assignments.shared)),
    async save() {
      saved = encodeCpuCheckpoint("static", assignments);
    },
  });
  const allocate = async (pod: Pod, nodes?: readonly number[]): Promise<string> => {
    const hint = { affinity: nodes && maskOf(nodes), isPreferred: true };
    for (const container of containersInOrder(pod)) await manager.allocate(pod, container, hint);
    return containersInOrder(pod)
      .map(({ name }) => formatCpuSet(assignments.usableBy(pod.metadata.uid ?? "", name)))
      .join(" ");
  };
  return { manager, metrics, assignments, ended, changes, allocate, saved: () => saved };
}

const single = { machine: "single" } as const;
const dual = { machine: "dual" } as const;

each<[containers: string, expected: string]>([
  ["app=1", "4"],
  ["app=2 other=1", "1,5 4"],
  ["app=500m other=1", "0-3,5-7 4"],
  ["init=2 app=2", "1,5 1,5"],
  ["init=2 init2=4 app=1 other=2", "1,5 1-2,5-6 4 1,5"],
  ["sidecar=2 init=2 app=2", "1,5 2,6 2,6"],
  ["init=1 sidecar=1 app=1", "4 4 1"],
])("CpuManager: the containers %s get %s", async (containers, expected) => {
  expect(await managerOf(single).allocate(guaranteedPod("p", containers))).toBe(expected);
});

test("CpuManager: takes CPUs near the chosen nodes", async () => {
  expect(await managerOf(dual).allocate(guaranteedPod("p", "app=2"), [1])).toBe("1,7");
});

test("CpuManager: what a pod had is free when it ends, noticed or not", async () => {
  const { manager, assignments, allocate, ended, changes } = managerOf(single);
  await allocate(guaranteedPod("a", "app=2"));
  await allocate(guaranteedPod("b", "app=2"));
  await manager.release("a");
  expect(formatCpuSet(assignments.shared)).toBe("0-1,3-5,7");
  ended.add("b");
  expect(await allocate(guaranteedPod("c", "app=7"))).toBe("1-7");
  expect(changes).toEqual(["0,2-4,6-7", "0,3-4,7", "0-1,3-5,7", "0-7", "0"]);
});

test("CpuManager: another kubelet continues with the assignments", async () => {
  const first = managerOf(single);
  const [own, other] = [guaranteedPod("a", "init=2 app=2"), guaranteedPod("b", "app=1")];
  await first.allocate(own);
  const second = managerOf(single, first.saved());
  expect([await second.allocate(other), await second.allocate(own)]).toEqual(["4", "1,5 1,5"]);
});

test("CpuManager: whole cores that a container has do not count as missing after a restart", async () => {
  const given = { ...single, options: ["full-pcpus-only"] } as const;
  const first = managerOf(given);
  const pod = guaranteedPod("a", "app=6");
  await first.allocate(pod);
  expect(await managerOf(given, first.saved()).allocate(pod)).toBe("1-3,5-7");
});

test("CpuManager: counts requests, failures and CPUs", async () => {
  const { manager, metrics, allocate } = managerOf({ ...single, options: ["full-pcpus-only"] });
  await allocate(guaranteedPod("a", "app=2"));
  await expect(allocate(guaranteedPod("b", "app=1"))).rejects.toThrow("SMT Alignment Error");
  await allocate(guaranteedPod("c", "app=500m"));
  const values = () => metrics.text().match(/^kubelet_.* \d+$/gm);
  expect(values()).toEqual([
    'kubelet_container_aligned_compute_resources_count{boundary="physical_cpu",scope="container"} 1',
    'kubelet_container_aligned_compute_resources_count{boundary="uncore_cache",scope="container"} 1',
    'kubelet_container_aligned_compute_resources_failure_count{boundary="physical_cpu",scope="container"} 1',
    'kubelet_cpu_manager_allocation_per_numa{numa_node="0"} 2',
    "kubelet_cpu_manager_exclusive_cpu_allocation_count 2",
    "kubelet_cpu_manager_pinning_errors_total 1",
    "kubelet_cpu_manager_pinning_requests_total 2",
    "kubelet_cpu_manager_shared_pool_size_millicores 5000",
  ]);
  await manager.release("a");
  expect(values()).toContain("kubelet_cpu_manager_shared_pool_size_millicores 7000");
});

const textOf = (hints: ResourceHints): string =>
  Array.from(hints, ([name, list]) => {
    const texts = (list ?? []).map(
      ({ affinity = 0n, isPreferred }) => nodesOf(affinity).join("") + (isPreferred ? "!" : ""),
    );
    return `${name}: ${texts.join(" ")}`;
  }).join();

test("CpuManager: hints for containers and pods", async () => {
  const { manager, allocate } = managerOf(dual);
  const hintsOf = (pod: Pod) =>
    [...containersInOrder(pod).map((one) => manager.hints(pod, one)), manager.podHints(pod)].map(
      textOf,
    );
  expect(hintsOf(guaranteedPod("a", "app=500m"))).toEqual(["", ""]);
  const pod = guaranteedPod("a", "init=2 app=4 other=2");
  expect(hintsOf(pod)).toEqual(["cpu: 0! 1! 01", "cpu: 0! 1! 01", "cpu: 0! 1! 01", "cpu: 1! 01"]);
  await allocate(pod, [1]);
  expect(hintsOf(pod)).toEqual(["cpu: 1! 01", "cpu: 1! 01", "cpu: 1! 01", "cpu: 1! 01"]);
  expect(hintsOf(guaranteedPod("b", "app=5"))).toEqual(["cpu: 0! 01", "cpu: 0! 01"]);
  expect(hintsOf(guaranteedPod("b", "app=6"))).toEqual(["cpu: ", "cpu: "]);
  expect(hintsOf(guaranteedPod("a", "init=2 app=3 other=2")).slice(1)).toEqual([
    ...["cpu: ", "cpu: 1! 01", "cpu: "],
  ]);
});
