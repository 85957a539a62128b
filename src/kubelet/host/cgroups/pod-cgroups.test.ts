import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { requires, testWith } from "../../../../test/requires.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { openCgroups } from "../../../platform/cgroups/host-cgroups.ts";
import { linuxPod } from "../../pod/linux/linux.test-support.ts";
import { enforceNodeAllocatable, enforceReserved } from "./node-allocatable.ts";
import { openPodCgroups, type PodCgroupsOptions } from "./pod-cgroups.ts";

const settings = { cpuQuota: true, cpuQuotaPeriod: 100_000, podPidsLimit: 100 };

const podOf = (uid: string, resources: object): Pod =>
  linuxPod({ containers: [{ name: "c", image: "i", resources }] }, { uid });

const burstable = podOf("b1", {
  requests: { cpu: "100m" },
  limits: { memory: "32Mi", cpu: "200m" },
});
const guaranteed = podOf("g1", { limits: { cpu: "500m", memory: "64Mi" } });
const bestEffort = podOf("e1", {});

/** Cgroups of pods below one of this test alone. */
async function testCgroups(options: Partial<PodCgroupsOptions> = {}) {
  const cgroups = await openCgroups();
  const root = `wherry-test-${process.pid}`;
  onTestFinished(() => cgroups.remove(`/${root}`));
  const naming = { driver: "cgroupfs", root: [root] } as const;
  const pods = openPodCgroups({ ...settings, cgroups, naming, hugePageSizes: ["2MB"], ...options });
  const isV2 = cgroups.version === "v2";
  const read = async (controller: string, path: string, v1: string, v2: string) => {
    const folder = isV2 ? "/sys/fs/cgroup" : `/sys/fs/cgroup/${controller}`;
    const text = await readFile(join(folder, root, path, isV2 ? v2 : v1), "utf8");
    return text.trim();
  };
  const shares = (path: string) => read("cpu", path, "cpu.shares", "cpu.weight");
  const memory = (path: string) => read("memory", path, "memory.limit_in_bytes", "memory.max");
  const pids = (path: string) => read("pids", path, "pids.max", "pids.max");
  return { cgroups, naming, root, pods, isV2, read, shares, memory, pids };
}

testWith(requires("containers"))(
  "memory is kept from lower classes by what pods request",
  async () => {
    const qosReserve = { percent: 50, allocatableBytes: 1 << 30 };
    const { pods, memory } = await testCgroups({ qosReserve });
    const requesting = podOf("b2", { requests: { memory: "32Mi" } });
    await pods.ensureRoots();
    expect(await memory("burstable")).toBe(String(1 << 30));
    await pods.setUp(guaranteed);
    await pods.setUp(requesting);
    expect(await memory("burstable")).toBe(String((1 << 30) - (32 << 20)));
    expect(await memory("besteffort")).toBe(String((1 << 30) - (48 << 20)));
    await pods.remove("g1");
    expect(await memory("burstable")).toBe(String(1 << 30));
    expect(await memory("besteffort")).toBe(String((1 << 30) - (16 << 20)));
    await pods.remove("b2");
  },
);

testWith(requires("containers"))("pods have cgroups with their limits, by class", async () => {
  const { cgroups, pods, naming, root, isV2, read, shares, memory, pids } = await testCgroups();
  await pods.ensureRoots();
  expect(await shares("besteffort")).toBe(isV2 ? "1" : "2");
  expect(await shares("burstable")).toBe(isV2 ? "1" : "2");
  await pods.setUp(burstable);
  await pods.setUp(guaranteed);
  await pods.setUp(bestEffort);
  expect(pods.pathOf(burstable)).toBe(`/${root}/burstable/podb1`);
  expect(await shares("burstable")).toBe(isV2 ? "4" : "102");
  expect(await shares("burstable/podb1")).toBe(isV2 ? "4" : "102");
  expect(await memory("burstable/podb1")).toBe(String(32 << 20));
  expect(await memory("podg1")).toBe(String(64 << 20));
  expect(await shares("podg1")).toBe(isV2 ? "20" : "512");
  if (isV2) expect(await read("cpu", "podg1", "", "cpu.max")).toBe("50000 100000");
  else expect(await read("cpu", "podg1", "cpu.cfs_quota_us", "")).toBe("50000");
  expect(await shares("besteffort/pode1")).toBe(isV2 ? "1" : "2");
  expect(await pids("besteffort/pode1")).toBe("100");

  const wanted = pods.limitsFor(guaranteed);
  expect(wanted).toMatchObject({ cpuQuota: 50_000, memoryLimitBytes: 64 << 20 });
  const { cpuShares, cpuQuota, memoryLimitBytes } = await pods.limits(guaranteed);
  expect([cpuShares, cpuQuota, memoryLimitBytes]).toEqual([isV2 ? 500 : 512, 50_000, 64 << 20]);
  expect(await pods.limits(bestEffort)).toEqual({ cpuShares: 2 });
  await pods.update(guaranteed, { memoryLimitBytes: 128 << 20 });
  expect(await memory("podg1")).toBe(String(128 << 20));
  // Set up again: what a resize has changed stays.
  await pods.setUp(guaranteed);
  expect(await memory("podg1")).toBe(String(128 << 20));

  const amounts = { cpu: "2", memory: "1Gi" };
  const event = await enforceNodeAllocatable({ cgroups, naming, amounts, pidsLimit: 1000 });
  expect(event).toEqual({
    type: "Normal",
    reason: "NodeAllocatableEnforced",
    message: "Updated Node Allocatable limit across pods",
  });
  expect([await shares(""), await memory(""), await pids("")]).toEqual([
    isV2 ? "79" : "2048",
    String(1 << 30),
    "1000",
  ]);

  await pods.remove("b1");
  expect(await cgroups.exists(pods.pathOf(burstable))).toBe(false);
  expect(await shares("burstable")).toBe(isV2 ? "1" : "2");
  expect([...(await pods.podUids())].sort()).toEqual(["e1", "g1"]);
});

testWith(requires("containers"))("what still runs in the cgroup of a pod is killed", async () => {
  const { cgroups, pods, isV2, root } = await testCgroups();
  await pods.ensureRoots();
  await pods.setUp(bestEffort);
  const folder = `/sys/fs/cgroup/${isV2 ? "" : "memory/"}${root}/besteffort/pode1`;
  const child = spawn("sh", ["-c", `echo $$ > ${folder}/cgroup.procs; exec sleep 1000`]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await eventually(async () =>
    expect(await cgroups.pids(pods.pathOf(bestEffort))).toEqual([child.pid]),
  );
  await pods.remove("e1");
  expect(existsSync(folder)).toBe(false);
});

testWith(requires("containers"))("limits that cannot be set are told", async () => {
  const { cgroups, naming, root } = await testCgroups();
  const amounts = { cpu: "2" };
  expect(await enforceNodeAllocatable({ cgroups, naming, amounts })).toMatchObject({
    type: "Warning",
    reason: "FailedNodeAllocatableEnforcement",
    message: expect.stringContaining(`Failed to update Node Allocatable Limits ["${root}"]: `),
  });
  const reserved = { cgroups, path: `/${root}`, amounts, isCompressible: true };
  await expect(enforceReserved({ ...reserved, owner: "kube" })).rejects.toThrow(
    `Failed to enforce Kube Reserved Compressible Cgroup Limits on "/${root}"`,
  );
  await cgroups.create(`/${root}`);
  expect(await enforceReserved({ ...reserved, owner: "system" })).toMatchObject({
    message: `Updated limits on system reserved cgroup /${root}`,
  });
});

/** A folder stands for the file system here: this host may not have version 2. */
test("version 2: controllers are handed down, and all limits have their files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pod-cgroups-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const mountinfo = join(folder, "mountinfo");
  await writeFile(mountinfo, `30 25 0:26 / ${folder} rw - cgroup2 cgroup2 rw\n`);
  const files = ["cpu.weight", "cpu.max", "memory.max", "pids.max", "hugetlb.2MB.max"];
  for (const path of [
    "",
    "kubepods",
    "kubepods/burstable",
    "kubepods/besteffort",
    "kubepods/podg1",
  ]) {
    await mkdir(join(folder, path), { recursive: true });
    for (const file of files) await writeFile(join(folder, path, file), "");
    // The pod's cgroup has no controllers yet: it does not count as existing.
    const controllers = path.endsWith("podg1") ? "" : "cpu memory pids hugetlb\n";
    await writeFile(join(folder, path, "cgroup.controllers"), controllers);
  }
  const cgroups = await openCgroups(mountinfo);
  const naming = { driver: "cgroupfs", root: ["kubepods"] } as const;
  const pods = openPodCgroups({ ...settings, cgroups, naming, hugePageSizes: ["2MB"] });
  await pods.ensureRoots();
  await pods.setUp(guaranteed);
  const text = (path: string): Promise<string> => readFile(join(folder, path), "utf8");
  expect(await text("kubepods/cgroup.subtree_control")).toBe("+cpu +memory +pids +hugetlb");
  expect(await text("kubepods/hugetlb.2MB.max")).toBe("4611686018427387904");
  expect(await text("kubepods/besteffort/cpu.weight")).toBe("1");
  expect(await Promise.all(files.map((file) => text(`kubepods/podg1/${file}`)))).toEqual([
    "20",
    "50000 100000",
    "67108864",
    "100",
    "0",
  ]);
});
