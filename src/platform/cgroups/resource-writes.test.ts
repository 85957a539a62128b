import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { LinuxResources } from "./linux-resources.ts";
import {
  type CgroupWrite,
  resourceWritesV1,
  resourceWritesV2,
  weightOfShares,
} from "./resource-writes.ts";

const lines = (writes: readonly CgroupWrite[]): string[] =>
  writes.map(({ files, value }) => `${files.join("|")} ${value}`);

each<[what: string, resources: LinuxResources, v1: readonly string[], v2: readonly string[]]>([
  ["nothing", {}, [], []],
  ["zeros", { cpuShares: 0, memoryLimitBytes: 0, cpusetCpus: "", pidsLimit: 0 }, [], []],
  ["shares", { cpuShares: 1024 }, ["cpu.shares 1024"], ["cpu.weight 39"]],
  [
    "quota and period",
    { cpuQuota: 50_000, cpuPeriod: 200_000 },
    ["cpu.cfs_period_us 200000", "cpu.cfs_quota_us 50000"],
    ["cpu.max 50000 200000"],
  ],
  ["quota alone", { cpuQuota: 50_000 }, ["cpu.cfs_quota_us 50000"], ["cpu.max 50000 100000"]],
  ["no quota", { cpuQuota: -1 }, ["cpu.cfs_quota_us -1"], ["cpu.max max 100000"]],
  [
    "processors and nodes",
    { cpusetCpus: "0-1", cpusetMems: "0" },
    ["cpuset.cpus 0-1", "cpuset.mems 0"],
    ["cpuset.cpus 0-1", "cpuset.mems 0"],
  ],
  [
    "memory with swap",
    { memoryLimitBytes: 100, memorySwapBytes: 150 },
    ["memory.limit_in_bytes 100", "memory.memsw.limit_in_bytes 150"],
    ["memory.max 100", "memory.swap.max 50"],
  ],
  [
    "memory with any swap",
    { memoryLimitBytes: 100, memorySwapBytes: -1 },
    ["memory.limit_in_bytes 100", "memory.memsw.limit_in_bytes -1"],
    ["memory.max 100", "memory.swap.max max"],
  ],
  [
    "memory without swap",
    { memoryLimitBytes: 100, memorySwapBytes: 100 },
    ["memory.limit_in_bytes 100", "memory.memsw.limit_in_bytes 100"],
    ["memory.max 100", "memory.swap.max 0"],
  ],
  [
    "no limit of memory",
    { memoryLimitBytes: -1 },
    ["memory.limit_in_bytes -1", "memory.memsw.limit_in_bytes -1"],
    ["memory.max max", "memory.swap.max max"],
  ],
  [
    "a reservation",
    { memoryReservationBytes: 10, oomKillDisable: true },
    ["memory.soft_limit_in_bytes 10", "memory.oom_control 1"],
    ["memory.low 10"],
  ],
  ["processes", { pidsLimit: 5 }, ["pids.max 5"], ["pids.max 5"]],
  ["any number of processes", { pidsLimit: -1 }, ["pids.max max"], ["pids.max max"]],
  [
    "weight of devices",
    { blkioWeight: 500 },
    ["blkio.weight|blkio.bfq.weight 500"],
    ["io.bfq.weight 500", "io.weight 4950"],
  ],
  [
    "huge pages",
    { hugepageLimits: [{ pageSize: "2MB", limitBytes: 4096 }] },
    ["hugetlb.2MB.limit_in_bytes 4096"],
    ["hugetlb.2MB.max 4096"],
  ],
  ["files of version 2", { unified: { "memory.high": "50" } }, [], ["memory.high 50"]],
])("resourceWrites: %s", (_what, resources, v1, v2) => {
  expect(lines(resourceWritesV1(resources))).toEqual(v1);
  expect(lines(resourceWritesV2(resources))).toEqual(v2);
});

test("resourceWritesV2: swap needs a limit of memory, and at least as much", () => {
  expect(() => resourceWritesV2({ memorySwapBytes: 10 })).toThrow(
    "unable to set swap limit without memory limit",
  );
  expect(() => resourceWritesV2({ memoryLimitBytes: 20, memorySwapBytes: 10 })).toThrow(
    "memory+swap limit should be >= memory limit",
  );
});

each<[shares: number, weight: number]>([
  [2, 1],
  [102, 4],
  [1024, 39],
  [2048, 79],
  [262_144, 10_000],
  [1, 1],
  [9_999_999, 10_000],
])("weightOfShares: %i shares are a weight of %i", (shares, weight) => {
  expect(weightOfShares(shares)).toBe(weight);
});
