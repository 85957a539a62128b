import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import { gibibyte, guaranteedPod } from "../../memory/memory.test-support.ts";
import { machineOf } from "../../topology/machines.test-support.ts";
import { testFolder } from "../plugins/plugin.test-support.ts";
import { openMemory } from "./open-memory.ts";

const topology = machineOf({
  ...{ cores: 2, site: (core) => ({ node: core }), memoryBytes: 4 * gibibyte },
  hugePages: [{ pageBytes: 2 ** 21, count: 512 }],
});
const settings = {
  memoryManagerPolicy: "Static",
  ...{ kubeReserved: { memory: "512Mi" }, systemReserved: { cpu: "1", memory: "412Mi" } },
  evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%" },
  reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi" } }],
};

const opened = (configuration: Partial<KubeletConfiguration>, rootDir = testFolder()) =>
  openMemory({
    ...{ configuration: configuration as KubeletConfiguration, topology, rootDir },
    ...{ metrics: new MetricsRegistry(), isActive: () => true },
  });

test("openMemory: without a policy containers share all memory", async () => {
  const rootDir = testFolder();
  const memory = await opened({}, rootDir);
  expect([memory.manager, memory.allocatable]).toEqual([undefined, []]);
  expect(readFileSync(join(rootDir, "memory_manager_state"), "utf8")).toBe(
    '{"policyName":"None","machineState":{},"checksum":4236770233}',
  );
});

test("openMemory: another kubelet continues with the memory of containers", async () => {
  const rootDir = testFolder();
  const first = await opened(settings, rootDir);
  expect(first.allocatable).toEqual([
    { nodes: [0], type: "hugepages-2Mi", bytes: gibibyte },
    { nodes: [0], type: "memory", bytes: 2 * gibibyte },
    { nodes: [1], type: "hugepages-2Mi", bytes: gibibyte },
    { nodes: [1], type: "memory", bytes: 3 * gibibyte },
  ]);
  const pod = guaranteedPod("p", "app=3");
  const hint = { affinity: undefined, isPreferred: false };
  await first.manager?.allocate(pod, pod.spec.containers?.[0] as never, hint);
  const second = await opened(settings, rootDir);
  expect(second.manager?.nodesOf("p", "app")).toEqual([1]);
  const more = { ...settings, reservedMemory: [{ numaNode: 1, limits: { memory: "1Gi" } }] };
  await expect(opened(more, rootDir)).rejects.toThrow(
    "start memory manager error: [memorymanager] the expected machine state is different from the real one",
  );
});

each<[configuration: Partial<KubeletConfiguration>, why: string]>([
  [{ memoryManagerPolicy: "Dynamic" }, 'unknown policy: "Dynamic"'],
  [
    { memoryManagerPolicy: "BestEffort" },
    'policy "BestEffort" is not available for platform "linux"',
  ],
  [
    { ...settings, reservedMemory: [] },
    'the total amount "0" of type "memory" is not equal to the value "1Gi" determined by Node Allocatable feature',
  ],
])("openMemory: rejects %j", async (configuration, why) => {
  await expect(opened(configuration)).rejects.toThrow(why);
});

test("openMemory: the state of another policy is an error", async () => {
  const rootDir = testFolder();
  await opened({}, rootDir);
  await expect(opened(settings, rootDir)).rejects.toThrow(
    `start memory manager error: could not restore state from checkpoint: [memorymanager] configured policy "Static" differs from state checkpoint policy "None", please drain this node and delete the memory manager checkpoint file "${rootDir}/memory_manager_state" before restarting Kubelet`,
  );
});
