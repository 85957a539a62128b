import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../test/each.ts";
import { openCgroups } from "./host-cgroups.ts";
import type { LinuxResources } from "./linux-resources.ts";
import { sliceProperties, withWholePercents } from "./slice-properties.ts";
import { systemdCgroups } from "./systemd-cgroups.ts";

const infinity = "18446744073709551615";

each<[LinuxResources, string, string]>([
  [{}, "", ""],
  [{ cpuShares: 1024 }, "CPUShares 1024", "CPUWeight 39"],
  [{ memoryLimitBytes: 4096 }, "MemoryLimit 4096", "MemoryMax 4096"],
  [
    { memoryLimitBytes: -1, pidsLimit: -1 },
    `MemoryLimit ${infinity}, TasksMax ${infinity}`,
    `MemoryMax ${infinity}, TasksMax ${infinity}`,
  ],
  [{ cpuQuota: -1 }, `CPUQuotaPerSecUSec ${infinity}`, `CPUQuotaPerSecUSec ${infinity}`],
  [
    { cpuQuota: 50_000, cpuPeriod: 100_000 },
    "CPUQuotaPeriodUSec 100000, CPUQuotaPerSecUSec 500000",
    "CPUQuotaPeriodUSec 100000, CPUQuotaPerSecUSec 500000",
  ],
  [
    { cpuQuota: 1500, cpuPeriod: 100_000 },
    "CPUQuotaPeriodUSec 100000, CPUQuotaPerSecUSec 20000",
    "CPUQuotaPeriodUSec 100000, CPUQuotaPerSecUSec 20000",
  ],
  [{ pidsLimit: 100 }, "TasksMax 100", "TasksMax 100"],
])("sliceProperties: %j", (resources, v1, v2) => {
  const text = (isV2: boolean): string =>
    sliceProperties(resources, isV2)
      .map((property) => property.join(" "))
      .join(", ");
  expect([text(false), text(true)]).toEqual([v1, v2]);
});

each<[LinuxResources, number | undefined]>([
  [{ cpuQuota: 1500, cpuPeriod: 100_000 }, 2000],
  [{ cpuQuota: 2000, cpuPeriod: 100_000 }, 2000],
  [{ cpuQuota: -1 }, -1],
  [{}, undefined],
])("withWholePercents: %j", (resources, expected) => {
  expect(withWholePercents(resources).cpuQuota).toBe(expected);
});

test("systemdCgroups: slices are units of systemd", async () => {
  const folder = await mkdtemp(join(tmpdir(), "slices-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const mountinfo = join(folder, "mountinfo");
  await writeFile(mountinfo, `30 25 0:26 / ${folder} rw - cgroup2 cgroup2 rw\n`);
  const path = "/kubepods.slice/kubepods-podu1.slice";
  await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, path, "memory.max"), "");
  for (const above of ["", "kubepods.slice"])
    await writeFile(join(folder, above, "cgroup.controllers"), "memory\n");
  const calls: string[] = [];
  const known = new Set<string>();
  const call = async (method: string, ...args: readonly string[]): Promise<void> => {
    const [, unit = ""] = args;
    if (method === "StartTransientUnit" && known.has(unit))
      throw new Error(`Call failed: Unit ${unit} was already loaded or has a fragment file.`);
    known.add(unit);
    calls.push([method, ...args].join(" "));
  };
  const cgroups = systemdCgroups(await openCgroups(mountinfo), call);
  await cgroups.create(path);
  await cgroups.create(path);
  await cgroups.update(path, { memoryLimitBytes: 4096 });
  await cgroups.remove(`${path}/none.slice`);
  expect(calls).toEqual([
    `StartTransientUnit ssa(sv)a(sa(sv)) kubepods-podu1.slice replace 6 Description s cgroup ${path} Wants as 1 kubepods.slice MemoryAccounting b true CPUAccounting b true TasksAccounting b true DefaultDependencies b false 0`,
    "SetUnitProperties sba(sv) kubepods-podu1.slice true 1 MemoryMax t 4096",
  ]);
  expect(await readFile(join(folder, path, "memory.max"), "utf8")).toBe("4096");
});
