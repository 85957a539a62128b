import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
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

  test("a limit that cannot be set is an error", async () => {
    await expect(cgroups.update(`${path}/none`, { pidsLimit: 5 })).rejects.toThrow("pids.max");
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

/** A folder stands for the file system here: this host may not have version 2. */
test("openCgroups: version 2", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cgroups-"));
  try {
    const mountinfo = join(folder, "mountinfo");
    await writeFile(mountinfo, `30 25 0:26 / ${folder} rw - cgroup2 cgroup2 rw\n`);
    const slice = join(folder, "kubepods.slice/wherry-abc.scope");
    await mkdir(slice, { recursive: true });
    const files = {
      "cgroup.procs": "12\n",
      "cpu.stat": "usage_usec 7\n",
      "memory.current": "100\n",
      "memory.stat": "anon 30\ninactive_file 40\n",
      "memory.events": "oom 1\noom_kill 1\n",
      "memory.max": "",
      "cpu.max": "",
      "io.weight": "",
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(slice, name), text);
    const cgroups = await openCgroups(mountinfo);
    const path = "kubepods.slice:wherry:abc";
    expect(cgroups.version).toBe("v2");
    expect(await cgroups.pids(path)).toEqual([12]);
    expect(await cgroups.hasOomKill(path)).toBe(true);
    expect(await cgroups.usage(path)).toEqual({
      cpuNanoSeconds: 7000n,
      memoryBytes: 100,
      workingSetBytes: 60,
      rssBytes: 30,
    });
    expect((await cgroups.stats(path))?.memory).toMatchObject({ usageBytes: 100, oomKills: 1 });
    await cgroups.update(path, {
      memoryLimitBytes: 5,
      memorySwapBytes: 9,
      cpuQuota: 3,
      blkioWeight: 10,
    });
    const written = (name: string): Promise<string> => readFile(join(slice, name), "utf8");
    expect(await written("memory.max")).toBe("5");
    expect(await written("cpu.max")).toBe("3 100000");
    expect(await written("io.weight")).toBe("1");
    await expect(cgroups.update(path, { pidsLimit: 5 })).rejects.toThrow("pids.max");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("openCgroups: says what to do where there are none", async () => {
  await expect(openCgroups("/dev/null")).rejects.toThrow("no cgroups are mounted");
});
