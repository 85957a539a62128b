import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { describeWith, requires } from "../../../test/requires.ts";
import { findHierarchies } from "./cgroup-hierarchies.ts";
import type { Cgroups } from "./cgroups.ts";
import { openCgroups } from "./host-cgroups.ts";

describeWith(requires("containers"))("openCgroups", () => {
  let cgroups: Cgroups;
  let folders: readonly string[];
  const path = `/wherry-test-${process.pid}`;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    cgroups = await openCgroups();
    const found = findHierarchies(await readFile("/proc/self/mountinfo", "utf8"));
    folders = (found?.all ?? []).map((mountPoint) => join(mountPoint, path));
    for (const folder of folders) await mkdir(join(folder, "inner"), { recursive: true });
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await cgroups.remove(path);
  });

  /** Runs a command in the cgroup, in all hierarchies. */
  const run = (command: string, below = ""): ChildProcess => {
    const joins = folders.map((folder) => `echo $$ > ${join(folder, below, "cgroup.procs")}`);
    const child = spawn("sh", ["-c", `${joins.join("\n")}\nexec ${command}`], { stdio: "ignore" });
    children.push(child);
    return child;
  };

  test("processes are found also in the cgroups below, and are counted", async () => {
    const one = run("sleep 1000");
    const two = run("sleep 1000", "inner");
    await eventually(async () =>
      expect([...(await cgroups.pids(path))].sort()).toEqual([one.pid, two.pid].sort()),
    );
    await eventually(async () => {
      const stats = await cgroups.stats(path);
      expect(stats?.cpu.usageNs).toBeGreaterThan(0n);
      expect(stats?.memory.usageBytes).toBeGreaterThan(0);
    });
    const usage = await cgroups.usage(path);
    expect(usage.workingSetBytes).toBeLessThanOrEqual(usage.memoryBytes);
  });

  test("limits can be raised and lowered, whatever the order the kernel needs", async () => {
    const megabyte = 1 << 20;
    for (const [memory, swap] of [
      [64, 128],
      [256, 256],
      [32, 32],
    ] as const) {
      await cgroups.update(path, {
        memoryLimitBytes: memory * megabyte,
        memorySwapBytes: swap * megabyte,
        cpuShares: 512,
        cpuQuota: memory * 1000,
        cpuPeriod: 100_000,
      });
      expect((await cgroups.stats(path))?.memory.limitBytes).toBe(memory * megabyte);
    }
    await cgroups.update(path, { memoryLimitBytes: -1 });
    expect((await cgroups.stats(path))?.memory.limitBytes).toBeUndefined();
    await expect(cgroups.update(path, { cpusetCpus: "9999" })).rejects.toThrow("cpuset.cpus");
  });

  test("an end for lack of memory is told from a plain kill", async () => {
    const killed = run("sleep 1000");
    await eventually(async () => expect(await cgroups.pids(path)).toEqual([killed.pid]));
    killed.kill("SIGKILL");
    await once(killed, "exit");
    expect(await cgroups.hasOomKill(path)).toBe(false);
    await cgroups.update(path, { memoryLimitBytes: 16 << 20, memorySwapBytes: 16 << 20 });
    await once(run("tail /dev/zero"), "exit");
    await eventually(async () => expect(await cgroups.hasOomKill(path)).toBe(true));
    expect((await cgroups.stats(path))?.memory.oomKills).toBe(1);
  });

  test("removing waits for processes that are ending, and is done once", async () => {
    const child = run("sleep 1000", "inner");
    await eventually(async () => expect(await cgroups.pids(path)).toEqual([child.pid]));
    const removing = cgroups.remove(path);
    child.kill("SIGKILL");
    await removing;
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
    await cgroups.remove(path);
    expect(await cgroups.stats(path)).toBeUndefined();
    expect(await cgroups.pids(path)).toEqual([]);
    expect((await cgroups.usage(path)).memoryBytes).toBe(0);
  });

  test("removing a cgroup whose processes stay is an error", async () => {
    const child = run("sleep 1000");
    await eventually(async () => expect(await cgroups.pids(path)).toEqual([child.pid]));
    await expect(cgroups.remove(path)).rejects.toThrow("cannot remove cgroup");
  });
});
