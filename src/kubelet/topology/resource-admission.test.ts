import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { maskOf, nodesOf } from "./numa-mask.ts";
import { ResourceAdmission } from "./resource-admission.ts";
import { AllocationError, type ResourceProvider } from "./resource-provider.ts";
import type { ResourceHints } from "./topology-hint.ts";
import { createTopologyMetrics } from "./topology-metrics.ts";
import type { TopologyPolicy } from "./topology-policy.ts";

const pod = {
  metadata: { name: "p", namespace: "default", uid: "p" },
  spec: { initContainers: [{ name: "i" }], containers: [{ name: "c" }] },
  status: {},
} as unknown as Pod;

/** A provider that can serve each container, and the whole pod, from one node. */
function provider(
  nodes: Readonly<Record<string, number>>,
  calls: string[],
  changes: Partial<ResourceProvider> = {},
): ResourceProvider {
  const hints = (name: string): ResourceHints => {
    const node = nodes[name];
    if (node === undefined) return new Map();
    return new Map([["r", [{ affinity: maskOf([node]), isPreferred: true }]]]);
  };
  return {
    concerns: () => true,
    hints: (_, { name }) => hints(name),
    podHints: () => hints("pod"),
    async allocate(_, { name }, { affinity }) {
      calls.push(`${name} ${affinity === undefined ? "any" : nodesOf(affinity).join("")}`);
    },
    ...changes,
  };
}

function admission(policy: Partial<TopologyPolicy>, providers: readonly ResourceProvider[]) {
  const whole: TopologyPolicy = {
    ...{ name: "restricted", scope: "container", preferClosest: false },
    ...policy,
  };
  const metrics = new MetricsRegistry();
  const resources = new ResourceAdmission({
    ...{ policy: whole, providers, machine: { nodes: [0, 1], distance: () => 10 } },
    metrics: createTopologyMetrics(metrics, new VirtualClock(), whole),
  });
  return { resources, metrics };
}

each<[policy: Partial<TopologyPolicy>, expected: readonly string[]]>([
  [{ name: "none" }, ["i any", "c any"]],
  [{ scope: "container" }, ["i 0", "c 1"]],
  [{ scope: "pod" }, ["i 1", "c 1"]],
])("ResourceAdmission: with %j each container gets its nodes", async (policy, expected) => {
  const calls: string[] = [];
  const { resources } = admission(policy, [provider({ i: 0, c: 1, pod: 1 }, calls)]);
  expect(await resources.admit(pod)).toBeUndefined();
  expect(calls).toEqual(expected);
});

test("ResourceAdmission: resources on different nodes are refused, and counted", async () => {
  const calls: string[] = [];
  const { resources, metrics } = admission({ name: "single-numa-node" }, [
    provider({ i: 0, c: 0 }, calls),
    provider({ i: 0, c: 1 }, []),
  ]);
  expect(await resources.admit(pod)).toEqual({
    reason: "TopologyAffinityError",
    message: "Resources cannot be allocated with Topology locality",
  });
  expect(calls).toEqual(["i 0"]);
  expect(metrics.text().match(/^kubelet_(?:topology|container).*(?:total|count).* \d+$/gm)).toEqual(
    [
      'kubelet_container_aligned_compute_resources_count{boundary="numa_node",scope="container"} 1',
      'kubelet_container_aligned_compute_resources_count{boundary="numa_node",scope="pod"} 0',
      'kubelet_container_aligned_compute_resources_failure_count{boundary="numa_node",scope="container"} 1',
      'kubelet_container_aligned_compute_resources_failure_count{boundary="numa_node",scope="pod"} 0',
      "kubelet_topology_manager_admission_duration_ms_count 1",
      "kubelet_topology_manager_admission_errors_total 1",
      "kubelet_topology_manager_admission_requests_total 1",
    ],
  );
});

each<[error: Error, reason: string, message: string]>([
  [
    new Error("broken"),
    "UnexpectedAdmissionError",
    "Allocate failed due to broken, which is unexpected",
  ],
  [
    new AllocationError("SMTAlignmentError", "SMT Alignment Error"),
    "SMTAlignmentError",
    "SMT Alignment Error",
  ],
])("ResourceAdmission: %s is why a pod is refused", async (error, reason, message) => {
  const failing = provider({}, [], { allocate: () => Promise.reject(error) });
  const { resources } = admission({ name: "none" }, [failing]);
  expect(await resources.admit(pod)).toEqual({ reason, message });
});

test("ResourceAdmission: the nodes of a container are known until its pod has ended", async () => {
  const { resources } = admission({}, [provider({ i: 0, c: 1 }, [])]);
  await resources.admit(pod);
  expect(resources.affinityOf("p", "c")).toEqual({ affinity: 2n, isPreferred: true });
  resources.forget("p");
  expect(resources.affinityOf("p", "c").affinity).toBeUndefined();
});

test("ResourceAdmission: a pod that needs nothing does not wait", () => {
  const idle = provider({}, [], { concerns: () => false });
  expect(admission({ name: "none" }, [idle]).resources.concerns(pod)).toBe(false);
  expect(admission({ name: "restricted" }, [idle]).resources.concerns(pod)).toBe(true);
});
