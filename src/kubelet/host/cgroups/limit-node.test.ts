import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import type { LinuxResources } from "../../../platform/cgroups/linux-resources.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import { limitNode } from "./limit-node.ts";

/** Records the limits that are set; the first ones are refused. */
function recorder(refusals = 0) {
  const set: [string, LinuxResources][] = [];
  let left = refusals;
  const cgroups: Pick<Cgroups, "exists" | "update"> = {
    exists: async () => true,
    async update(path, resources) {
      if (left-- > 0) throw new Error("busy");
      set.push([path, resources]);
    },
  };
  const events: string[] = [];
  const clock = new VirtualClock();
  const limit = (configuration: Partial<KubeletConfiguration>) =>
    limitNode({
      ...{ cgroups, clock, configuration: configuration as KubeletConfiguration },
      naming: { driver: "cgroupfs", root: ["kubepods"] },
      capacity: { cpu: "4", memory: "4Gi", pid: "1000" },
      record: ({ reason, message }) => events.push(`${reason}: ${message}`),
    });
  return { set, events, clock, limit };
}

const mebibyte = 1 << 20;

test("limitNode: pods get what is not reserved", async () => {
  const { set, limit, events } = recorder();
  await limit({
    systemReserved: { cpu: "500m", memory: "512Mi", pid: "100" },
    kubeReserved: { cpu: "500m", memory: "512Mi" },
    enforceNodeAllocatable: ["pods"],
  });
  expect(set).toEqual([
    ["/kubepods", { cpuShares: 3072, memoryLimitBytes: 3072 * mebibyte, pidsLimit: 900 }],
  ]);
  expect(events).toEqual(["NodeAllocatableEnforced: Updated Node Allocatable limit across pods"]);
});

test("limitNode: pods get all, if that is not enforced", async () => {
  const { set, limit } = recorder();
  await limit({ kubeReserved: { cpu: "1" }, enforceNodeAllocatable: ["none"] });
  expect(set[0]?.[1]).toMatchObject({ cpuShares: 4096, memoryLimitBytes: 4096 * mebibyte });
});

test("limitNode: the system and Kubernetes get what is reserved for them", async () => {
  const { set, limit, events } = recorder();
  await limit({
    ...{ systemReserved: { cpu: "1", memory: "1Gi", pid: "50" }, systemReservedCgroup: "/system" },
    ...{ kubeReserved: { cpu: "1", memory: "1Gi" }, kubeReservedCgroup: "/kube" },
    enforceNodeAllocatable: ["pods", "system-reserved", "kube-reserved-compressible"],
  });
  expect(set.slice(1)).toEqual([
    ["/system", { cpuShares: 1024, memoryLimitBytes: 1024 * mebibyte, pidsLimit: 50 }],
    ["/kube", { cpuShares: 1024 }],
  ]);
  expect(events.slice(1)).toEqual([
    "NodeAllocatableEnforced: Updated limits on system reserved cgroup /system",
    "NodeAllocatableEnforced: Updated limits on kube reserved cgroup /kube",
  ]);
});

test("limitNode: pods that use too much are limited a minute later", async () => {
  const { set, limit, events, clock } = recorder(1);
  const { close } = await limit({});
  expect(set).toEqual([]);
  await clock.advance(60_000);
  expect(set.length).toBe(1);
  expect(events.map((event) => event.split(":")[0])).toEqual([
    "FailedNodeAllocatableEnforcement",
    "NodeAllocatableEnforced",
  ]);
  close();
});
