import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { each } from "../../../../test/each.ts";
import { requires, testWith } from "../../../../test/requires.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { openCgroups } from "../../../platform/cgroups/host-cgroups.ts";
import { openStatsHost } from "./open-stats-host.ts";
import { parseOwnCgroup } from "./own-cgroup.ts";

testWith(requires("root"))("openStatsHost: reads this machine and the files of pods", async () => {
  const root = mkdtempSync(join(tmpdir(), "wherry-stats-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const logs = join(root, "logs", "ns_p_u");
  mkdirSync(join(logs, "c"), { recursive: true });
  mkdirSync(join(root, "pods", "u"), { recursive: true });
  writeFileSync(join(logs, "c", "0.log"), "x".repeat(5000));
  writeFileSync(join(logs, "c", "0.log.1"), "y");
  writeFileSync(join(root, "pods", "u", "etc-hosts"), "127.0.0.1 localhost\n");
  const clock = new VirtualClock();
  let measured = 0;
  const volume = { usedBytes: 1, inodesUsed: 1, capacityBytes: 2, availableBytes: 1 };
  const host = openStatsHost({
    ...{ rootDir: root, podLogsDir: join(root, "logs"), clock, nodeCgroup: "/" },
    cgroups: await openCgroups(),
    images: {
      imageFsInfo: async () => ({
        images: [{ at: 0, mountpoint: root, usedBytes: 7, inodesUsed: 3 }],
        containers: [],
      }),
    },
    async volumeUsage() {
      measured++;
      return new Map([["v", { ...volume, inodes: 9, inodesFree: 8 }]]);
    },
    volumePeriodMs: 60_000,
  });
  const machine = await host.machine();
  expect(machine.cpuCoreNanoSeconds).toBeGreaterThan(0n);
  expect(machine.memoryWorkingSetBytes).toBeGreaterThan(0);
  expect(machine.memoryAvailableBytes).toBeGreaterThan(0);
  expect(machine.bootedAt).toBeGreaterThan(Date.UTC(2020));
  expect(await host.systemContainers()).toBeInstanceOf(Array);
  const { node, images } = await host.disks();
  expect(node.capacityBytes).toBeGreaterThan(node.usedBytes);
  expect(node.device).not.toBe("");
  const { device, capacityBytes } = node;
  expect(images).toMatchObject({ used: { bytes: 7, inodes: 3 }, space: { device, capacityBytes } });
  const { count, most } = await host.tasks();
  expect(count > 0 && count < most).toBe(true);
  const pod = { name: "p", namespace: "ns", uid: "u", attempt: 0 };
  const files = await host.podFiles(pod);
  expect(files.logs.get("c")).toMatchObject({ inodes: 2 });
  expect(files.logs.get("c")?.bytes).toBeGreaterThanOrEqual(5000);
  expect(files.others.inodes).toBe(1);
  expect(files.volumes.get("v")).toMatchObject({ ...volume, at: clock.now() });
  await host.podFiles(pod);
  expect(measured).toBe(1);
  await clock.advance(60_000);
  await host.podFiles(pod);
  expect(measured).toBe(2);
});

each<[what: string, text: string, version: "v1" | "v2", path: string | undefined]>([
  ["version 2", "0::/system.slice/kubelet.service\n", "v2", "/system.slice/kubelet.service"],
  ["version 1", "5:cpu,cpuacct:/a\n4:memory:/b\n0::/c\n", "v1", "/b"],
  ["joint controllers", "5:cpu,memory:/a\n", "v1", "/a"],
  ["the root", "0::/\n", "v2", undefined],
  ["a cgroup outside of its namespace", "0::/../../x\n", "v2", undefined],
  ["nothing", "", "v1", undefined],
])("parseOwnCgroup: %s", (_, text, version, path) => {
  expect(parseOwnCgroup(text, version)).toBe(path);
});
