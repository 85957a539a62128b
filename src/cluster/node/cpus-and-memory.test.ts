import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { formatCpuSet } from "../../kubelet/cpus/cpu-set.ts";
import { pluginClient } from "../../kubelet/host/plugins/plugin-client.ts";
import { podResourcesMethods } from "../../kubelet/host/resources/pod-resources-service.ts";
import { openCgroups } from "../../platform/cgroups/host-cgroups.ts";
import { type RealNode, startRealNode } from "./real-node.test-support.ts";

const all = formatCpuSet(cpus().keys());
const long = { timeout: 20_000, interval: 200 };

testWith(requires("containers"))(
  "startNode: a guaranteed pod has its CPUs for itself, also after a restart of the agent",
  async () => {
    const node = await startRealNode({
      configuration: {
        ...{ cpuManagerPolicy: "static", memoryManagerPolicy: "Static" },
        systemReserved: { cpu: "500m", memory: "1Gi" },
        evictionHard: { "memory.available": "24Mi" },
        reservedMemory: [{ numaNode: 0, limits: { memory: "1048Mi" } }],
      },
    });
    await run(node, "shared");
    await expect.poll(() => cpusOf(node, "shared"), long).toBe(all);
    const amounts = { cpu: "1", memory: "32Mi" };
    await run(node, "own", { requests: amounts, limits: amounts });
    await expect.poll(() => cpusOf(node, "own"), long).toBe("1");
    await expect.poll(() => cpusOf(node, "shared"), long).toBe(without(1));
    expect(await memoryNodesOf(node, "own")).toBe("0");
    const { uid = "" } = (await node.pod("own")).metadata;
    const limits = await limitsOf(node, uid);
    expect(limits.map(({ cpuShares, cpuQuota = -1 }) => [cpuShares, cpuQuota])).toEqual([
      [1024, -1],
      [1024, -1],
    ]);
    expect(await resourcesOf(node, "own")).toEqual([
      {
        ...{ name: "c", devices: [], cpu_ids: [1], dynamic_resources: [] },
        memory: [{ memory_type: "memory", size: 2n ** 25n, topology: { nodes: [{ ID: 0 }] } }],
      },
    ]);
    const state = JSON.parse(readFileSync(join(node.root, "kubelet", "cpu_manager_state"), "utf8"));
    expect(state).toMatchObject({
      ...{ policyName: "static", defaultCpuSet: without(1), entries: { [uid]: { c: "1" } } },
    });
    await node.restartNode();
    await run(node, "later");
    await expect.poll(() => cpusOf(node, "later"), long).toBe(without(1));
    expect([await cpusOf(node, "own"), await cpusOf(node, "shared")]).toEqual(["1", without(1)]);
    await resizeOf(node, "own");
    await expect
      .poll(() => pendingOf(node, "own"), long)
      .toEqual([
        "Infeasible",
        'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"',
      ]);
    await node.client.delete(Pod, { namespace: "default", name: "own" }, { gracePeriodSeconds: 0 });
    await expect.poll(() => cpusOf(node, "shared"), long).toBe(all);
    await expect.poll(() => cpusOf(node, "later"), long).toBe(all);
  },
  90_000,
);

const without = (cpu: number): string =>
  formatCpuSet([...cpus().keys()].filter((one) => one !== cpu));

const run = (node: RealNode, name: string, resources: object = {}) =>
  node.client.create(Pod, {
    metadata: { name, namespace: "default" },
    spec: {
      containers: [{ name: "c", image: testImage, command: ["sleep", "3600"], resources }],
      ...{ terminationGracePeriodSeconds: 0, automountServiceAccountToken: false },
    },
  } as never);

/** What a line of the status of processes in a pod says. */
async function statusOf(node: RealNode, name: string, line: string): Promise<string | undefined> {
  const { metadata } = await node.pod(name);
  const { runtime } = node.kubelet;
  const [container] = await runtime.listContainers({ podUid: metadata.uid, state: "running" });
  if (!container) return undefined;
  const { stdout } = await runtime.execSync(container.id, ["cat", "/proc/self/status"], 10);
  const text = new TextDecoder().decode(stdout);
  return new RegExp(`^${line}:\\s*(.*)$`, "m").exec(text)?.[1];
}

const cpusOf = (node: RealNode, name: string) => statusOf(node, name, "Cpus_allowed_list");
const memoryNodesOf = (node: RealNode, name: string) => statusOf(node, name, "Mems_allowed_list");

/** The limits of a pod and of its container. */
async function limitsOf({ cgroupRoot, kubelet }: RealNode, podUid: string) {
  const cgroups = await openCgroups();
  const [container] = await kubelet.runtime.listContainers({ podUid, state: "running" });
  const ofPod = `${cgroupRoot}/kubepods/pod${podUid}`;
  return Promise.all([ofPod, `${ofPod}/${container?.id}`].map((path) => cgroups.limits(path)));
}

async function resourcesOf({ root }: RealNode, name: string) {
  const client = pluginClient(join(root, "kubelet", "pod-resources", "kubelet.sock"));
  onTestFinished(() => client.close());
  const request = { pod_name: name, pod_namespace: "default" };
  return (await client.call(podResourcesMethods.get, request)).pod_resources?.containers;
}

async function resizeOf({ client }: RealNode, name: string) {
  const amounts = { cpu: "1", memory: "48Mi" };
  const containers = [{ name: "c", resources: { requests: amounts, limits: amounts } }];
  await client.patch(
    Pod,
    { namespace: "default", name },
    { strategic: { spec: { containers } } },
    { subresource: "resize" },
  );
}

async function pendingOf(node: RealNode, name: string) {
  const { status } = await node.pod(name);
  const { reason, message } =
    status.conditions?.find(({ type }) => type === "PodResizePending") ?? {};
  return [reason, message];
}
