import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import { formatCpuSet } from "../../cpus/cpu-set.ts";
import { guaranteedPod } from "../../cpus/cpus.test-support.ts";
import { machines } from "../../topology/machines.test-support.ts";
import { testFolder } from "../plugins/plugin.test-support.ts";
import { openCpus } from "./open-cpus.ts";

const anywhere = { affinity: undefined, isPreferred: false };
const static1 = { cpuManagerPolicy: "static", systemReserved: { cpu: "1" } };

async function opened(
  configuration: Partial<KubeletConfiguration>,
  { rootDir = testFolder(), topologyPolicy = "none" as const } = {},
) {
  const cpus = await openCpus({
    ...{ configuration: configuration as KubeletConfiguration, rootDir, topologyPolicy },
    ...{ topology: machines.single, features: new Set(), metrics: new MetricsRegistry() },
    runtime: { containerEvents: () => () => {}, listContainers: async () => [] } as never,
    ...{ clock: new VirtualClock(), log: noLog, isActive: () => true },
  });
  onTestFinished(() => cpus.close());
  const state = () => readFileSync(join(rootDir, "cpu_manager_state"), "utf8");
  return { cpus, rootDir, state };
}

test("openCpus: without a policy containers may use all CPUs", async () => {
  const { cpus, state } = await opened({});
  expect([cpus.manager, cpus.created("p", "c"), cpus.allocatable.size]).toEqual([
    ...[undefined, undefined, 0],
  ]);
  expect(state()).toBe('{"policyName":"none","defaultCpuSet":"","checksum":1353318690}');
});

test("openCpus: another kubelet continues with the CPUs of containers", async () => {
  const first = await opened(static1);
  expect(first.state()).toContain('"policyName":"static","defaultCpuSet":"0-7","checksum"');
  const pod = guaranteedPod("p", "app=2");
  await first.cpus.manager?.allocate(pod, pod.spec.containers?.[0] as never, anywhere);
  const second = await opened(static1, first);
  expect(formatCpuSet(second.cpus.allocatable)).toBe("1-7");
  expect([second.cpus.created("p", "app"), second.cpus.created("q", "app")]).toEqual([
    ...["1,5", "0,2-4,6-7"],
  ]);
  await second.cpus.release("p");
  expect(second.state()).toContain('"defaultCpuSet":"0-7","checksum"');
});

each<[before: Partial<KubeletConfiguration>, after: Partial<KubeletConfiguration>, why: string]>([
  [
    {},
    static1,
    'start cpu manager error: could not restore state from checkpoint: configured policy "static" differs from state checkpoint policy "none", please drain this node and delete the CPU manager checkpoint file "ROOT/cpu_manager_state" before restarting Kubelet',
  ],
  [
    static1,
    { ...static1, cpuManagerPolicyOptions: { "strict-cpu-reservation": "true" } },
    'start cpu manager error: some of strictly reserved cpus: "0" are present in defaultCpuSet: "0-7"',
  ],
])("openCpus: after %j, rejects %j", async (before, after, why) => {
  const { rootDir } = await opened(before);
  await expect(opened(after, { rootDir })).rejects.toThrow(why.replace("ROOT", rootDir));
});

test("openCpus: a damaged state is not overwritten", async () => {
  const rootDir = testFolder();
  const text = '{"policyName":"static","defaultCpuSet":"0-7","checksum":1}';
  writeFileSync(join(rootDir, "cpu_manager_state"), text);
  await expect(opened(static1, { rootDir })).rejects.toThrow(
    "could not restore state from checkpoint: checkpoint is corrupted, please drain this node",
  );
  expect(readFileSync(join(rootDir, "cpu_manager_state"), "utf8")).toBe(text);
});

each<[configuration: Partial<KubeletConfiguration>, why: string]>([
  [{ cpuManagerPolicy: "dynamic" }, 'unknown policy: "dynamic"'],
  [
    { cpuManagerPolicyOptions: { b: "1", a: "2" } },
    "new none policy error: None policy: received unsupported options=map[a:2 b:1]",
  ],
  [
    { cpuManagerPolicy: "static" },
    "[cpumanager] unable to determine reserved CPU resources for static policy",
  ],
  [
    { ...static1, cpuManagerPolicyOptions: { "align-by-socket": "true" } },
    'new static policy error: CPU Manager Policy Alpha-level Options not enabled, but option "align-by-socket" provided',
  ],
])("openCpus: rejects %j", async (configuration, why) => {
  await expect(opened(configuration)).rejects.toThrow(why);
});
