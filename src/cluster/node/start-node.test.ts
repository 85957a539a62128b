import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { openCgroups } from "../../platform/cgroups/host-cgroups.ts";
import { mustRun } from "../../platform/run-child.ts";
import { startRealNode } from "./real-node.test-support.ts";

testWith(requires("containers", "kubectl"))(
  "startNode: kubectl runs a pod, reads its log, and executes commands in it",
  async () => {
    const cluster = await startRealNode();
    const kubectl = (...args: string[]) =>
      mustRun("kubectl", ["--kubeconfig", cluster.kubeconfig, ...args]);
    await kubectl("run", "web", `--image=${testImage}`, "--", "sh", "-c", "echo hello; sleep 1000");
    await expect
      .poll(async () => (await cluster.pod("web")).status.phase, { timeout: 20_000 })
      .toBe("Running");
    expect(await kubectl("logs", "web")).toBe("hello\n");
    expect(await kubectl("exec", "web", "--", "hostname")).toBe("web\n");
    await cluster.restartNode();
    expect(await kubectl("exec", "web", "--", "hostname")).toBe("web\n");
    expect((await cluster.pod("web")).status.containerStatuses?.[0]?.restartCount).toBe(0);
    await kubectl("delete", "pod", "web", "--grace-period=1");
    expect((await cluster.client.list(Pod, { namespace: "default" })).items).toEqual([]);
  },
);

testWith(requires("containers"))(
  "startNode: a pod has a cgroup with its limits, which a resize changes in place",
  async () => {
    const cluster = await startRealNode();
    const resources = (cpu: string, memory: string) => ({
      requests: { cpu, memory },
      limits: { cpu, memory },
    });
    const { metadata } = await cluster.client.create(Pod, {
      metadata: { name: "web", namespace: "default" },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            ...{ name: "c", image: testImage, command: ["sleep", "1000"] },
            resources: resources("200m", "32Mi"),
          },
        ],
      },
    } as unknown as Pod);
    const status = async () => (await cluster.pod("web")).status;
    await expect.poll(async () => (await status()).phase, { timeout: 20_000 }).toBe("Running");
    const cgroups = await openCgroups();
    const path = `${cluster.cgroupRoot}/kubepods/pod${metadata.uid}`;
    expect(await cgroups.limits(path)).toMatchObject({
      ...{ cpuQuota: 20_000, memoryLimitBytes: 32 << 20 },
    });
    const [inner = ""] = await cgroups.children(path);
    const wanted = resources("300m", "64Mi");
    await cluster.client.patch(
      Pod,
      { name: "web", namespace: "default" },
      { strategic: { spec: { containers: [{ name: "c", resources: wanted }] } } as never },
      { subresource: "resize" },
    );
    await expect
      .poll(async () => (await status()).containerStatuses?.[0]?.resources, { timeout: 20_000 })
      .toEqual(wanted);
    const limits = { cpuQuota: 30_000, memoryLimitBytes: 64 << 20 };
    expect(await cgroups.limits(path)).toMatchObject(limits);
    expect(await cgroups.limits(`${path}/${inner}`)).toMatchObject(limits);
    await cluster.restartNode();
    expect((await status()).containerStatuses?.[0]).toMatchObject({
      ...{ restartCount: 0, allocatedResources: wanted.requests, resources: wanted },
    });
    await cluster.client.delete(Pod, { name: "web", namespace: "default" });
    await expect.poll(() => cgroups.exists(path), { timeout: 20_000 }).toBe(false);
  },
);

testWith(requires("containers"))(
  "startNode: limits of CPU, the number of pods and the ID of a provider follow the configuration",
  async () => {
    const configuration = { cpuCFSQuota: false, podsPerCore: 3, providerID: "metal://rack/1" };
    const cluster = await startRealNode({ configuration });
    const { spec, status } = await cluster.client.get(Node, { name: cluster.nodeName });
    expect(spec.providerID).toBe("metal://rack/1");
    expect(status.capacity?.pods).toBe(String(3 * Number(status.capacity?.cpu)));
    const { metadata } = await cluster.client.create(Pod, {
      metadata: { name: "web", namespace: "default" },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            ...{ name: "c", image: testImage, command: ["sleep", "1000"] },
            resources: { limits: { cpu: "200m", memory: "32Mi" } },
          },
        ],
      },
    } as unknown as Pod);
    await expect
      .poll(async () => (await cluster.pod("web")).status.phase, { timeout: 20_000 })
      .toBe("Running");
    const cgroups = await openCgroups();
    const path = `${cluster.cgroupRoot}/kubepods/pod${metadata.uid}`;
    const [inner = ""] = await cgroups.children(path);
    for (const one of [path, `${path}/${inner}`])
      expect(await cgroups.limits(one)).toMatchObject({ cpuShares: 204, cpuQuota: undefined });
  },
);
