import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { firstContainer, podWith, resourceSettings } from "./linux.test-support.ts";
import { linuxContainerResources, linuxSandboxResources } from "./linux-resources.ts";
import type { ResourceSettings } from "./linux-settings.ts";

const v1: Partial<ResourceSettings> = { cgroupVersion: 1, singleProcessOomKill: true };
const burstable = {
  requests: { cpu: "100m", memory: "16Mi" },
  limits: { cpu: "200m", memory: "32Mi" },
};
const limitedSwap: Partial<ResourceSettings> = {
  canLimitSwap: true,
  swapBehavior: "LimitedSwap",
  swapCapacityBytes: 1024 ** 3,
};
const quota = { cpuQuota: 20_000, cpuPeriod: 100_000 };
const noQuota = { cpuQuota: 0, cpuPeriod: 100_000 };
const whole = { unified: { "memory.oom.group": "1" } };

each<[string, object, Partial<ResourceSettings>, object]>([
  ["none", {}, v1, { cpuShares: 2, ...noQuota, oomScoreAdj: 1000 }],
  [
    "requests and limits",
    { resources: burstable },
    v1,
    { cpuShares: 102, ...quota, memoryLimitBytes: 33_554_432, oomScoreAdj: 999 },
  ],
  [
    "a limit alone is the request, too",
    { resources: { limits: { cpu: "200m" } } },
    v1,
    { cpuShares: 204, ...quota, oomScoreAdj: 999 },
  ],
  [
    "a limit below what the kernel takes",
    { resources: { limits: { cpu: "1m" }, requests: { cpu: "1m" } } },
    v1,
    { cpuShares: 2, cpuQuota: 1000, cpuPeriod: 100_000, oomScoreAdj: 999 },
  ],
  [
    "no enforced limits of CPU",
    { resources: burstable },
    { ...v1, cpuQuota: false },
    { cpuShares: 102, memoryLimitBytes: 33_554_432, oomScoreAdj: 999 },
  ],
  [
    "another period",
    { resources: burstable },
    { ...v1, cpuQuotaPeriod: 10_000 },
    {
      ...{ cpuShares: 102, cpuQuota: 2000, cpuPeriod: 10_000 },
      ...{ memoryLimitBytes: 33_554_432, oomScoreAdj: 999 },
    },
  ],
  [
    "version 2 kills all processes",
    {},
    {},
    { cpuShares: 2, ...noQuota, oomScoreAdj: 1000, ...whole },
  ],
  [
    "version 1 without swap",
    { resources: burstable },
    { ...v1, canLimitSwap: true },
    {
      ...{ cpuShares: 102, ...quota, memoryLimitBytes: 33_554_432, oomScoreAdj: 999 },
      memorySwapLimitBytes: 33_554_432,
    },
  ],
  [
    "version 2 without swap",
    {},
    { canLimitSwap: true },
    {
      ...{ cpuShares: 2, ...noQuota, oomScoreAdj: 1000 },
      unified: { "memory.oom.group": "1", "memory.swap.max": "0" },
    },
  ],
  [
    "swap in proportion to the request",
    { resources: { requests: { memory: "1Gi" } } },
    limitedSwap,
    {
      ...{ cpuShares: 2, ...noQuota, oomScoreAdj: 900 },
      unified: { "memory.oom.group": "1", "memory.swap.max": "107374182" },
    },
  ],
  [
    "no swap if the request is the limit",
    { resources: { requests: { memory: "1Gi" }, limits: { memory: "1Gi" } } },
    limitedSwap,
    {
      ...{ cpuShares: 2, ...noQuota, memoryLimitBytes: 1024 ** 3, oomScoreAdj: 900 },
      unified: { "memory.oom.group": "1", "memory.swap.max": "0" },
    },
  ],
])("linuxContainerResources: %s", (_, container, settings, expected) => {
  const pod = podWith(container);
  const all = { ...resourceSettings, ...settings };
  expect(linuxContainerResources(pod, firstContainer(pod), all)).toEqual({
    hugepageLimits: [],
    ...expected,
  });
});

test("linuxContainerResources: limits of the pod count for containers without", () => {
  const resources = { limits: { cpu: "200m", memory: "32Mi", "hugepages-2Mi": "4Mi" } };
  const requests = { cpu: "100m", memory: "16Mi" };
  const pod = podWith({}, { resources: { requests, ...resources } });
  const settings = { ...resourceSettings, ...v1, hugePageSizes: ["2MB", "1GB"] };
  expect(linuxContainerResources(pod, firstContainer(pod), settings)).toEqual({
    ...{ cpuShares: 204, ...quota, memoryLimitBytes: 33_554_432, oomScoreAdj: 999 },
    hugepageLimits: [
      { pageSize: "2MB", limit: 4_194_304 },
      { pageSize: "1GB", limit: 0 },
    ],
  });
});

test("linuxSandboxResources: the sum of containers, and overhead apart", () => {
  const pod = podWith({ resources: burstable }, { overhead: { cpu: "100m", memory: "1Mi" } });
  expect(linuxSandboxResources(pod, { ...resourceSettings, ...v1 })).toEqual({
    containers: { cpuShares: 102, ...quota, memoryLimitBytes: 33_554_432 },
    overhead: { cpuShares: 102, cpuQuota: 10_000, cpuPeriod: 100_000, memoryLimitBytes: 1_048_576 },
  });
});
