import { expect, test } from "vitest";
import { linuxResources, resourcesOf } from "./linux-resources.ts";

test.each([
  [{}, {}],
  [{ cpuRequestMillis: 0 }, { cpuShares: 2 }],
  [{ cpuRequestMillis: 250 }, { cpuShares: 256 }],
  [{ cpuRequestMillis: 1_000_000 }, { cpuShares: 262_144 }],
  [{ cpuLimitMillis: 500 }, { cpuShares: 512, cpuPeriod: 100_000, cpuQuota: 50_000 }],
  [{ cpuLimitMillis: 1 }, { cpuShares: 2, cpuPeriod: 100_000, cpuQuota: 1000 }],
  [{ cpuRequestMillis: 100, cpuLimitMillis: 0 }, { cpuShares: 102 }],
  [{ memoryLimitBytes: 64 }, { memoryLimitBytes: 64 }],
  [
    { cpuLimitMillis: 500, linux: { cpuQuota: -1, unified: { "memory.high": "5" } } },
    { cpuQuota: -1, unified: { "memory.high": "5" } },
  ],
])("linuxResources: %j", (resources, linux) => {
  expect(linuxResources(resources)).toEqual(linux);
});

test.each([
  [{}, {}],
  [{ cpuQuota: -1, cpuPeriod: 100_000 }, {}],
  [{ cpuQuota: 50_000, cpuPeriod: 100_000 }, { cpuLimitMillis: 500 }],
  [{ cpuShares: 102 }, { cpuRequestMillis: 100 }],
  [{ memoryLimitBytes: 7 }, { memoryLimitBytes: 7 }],
])("resourcesOf: %j", (linux, resources) => {
  expect(resourcesOf(linux)).toEqual({ ...resources, linux });
});
