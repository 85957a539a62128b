import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { linuxPod, podWith, resourceSettings } from "./linux.test-support.ts";
import {
  burstableShares,
  type CgroupSettings,
  nodeCgroupResources,
  podCgroupResources,
} from "./pod-cgroup-resources.ts";

const c = (limits: object, name = "c", rest: object = {}) => ({
  ...{ name, image: "i", resources: { limits }, ...rest },
});
const half = { cpu: "500m", memory: "1Gi" };
const sidecar = { restartPolicy: "Always" };
const quota = { cpuQuota: 50_000, cpuPeriod: 100_000 };
const gibibyte = 1024 ** 3;

each<[string, object, Partial<CgroupSettings>, object]>([
  ["best effort", {}, {}, { cpuShares: 2 }],
  [
    "guaranteed",
    { containers: [c(half)] },
    {},
    { cpuShares: 512, ...quota, memoryLimitBytes: gibibyte },
  ],
  [
    "guaranteed, without enforced limits of CPU",
    { containers: [c(half)] },
    { cpuQuota: false },
    { cpuShares: 512, cpuQuota: -1, cpuPeriod: 100_000, memoryLimitBytes: gibibyte },
  ],
  [
    "guaranteed, with overhead",
    { containers: [c(half)], overhead: { cpu: "500m", memory: "1Gi" } },
    {},
    { cpuShares: 1024, cpuQuota: 100_000, cpuPeriod: 100_000, memoryLimitBytes: 2 * gibibyte },
  ],
  [
    "burstable, limited in part",
    { containers: [c(half), c({ memory: "1Gi" }, "d")] },
    {},
    { cpuShares: 512, memoryLimitBytes: 2 * gibibyte },
  ],
  [
    "burstable, limited as a whole",
    {
      containers: [c({})],
      resources: { requests: { cpu: "250m" }, limits: half },
    },
    { cpuQuotaPeriod: 10_000 },
    { cpuShares: 256, cpuQuota: 5000, cpuPeriod: 10_000, memoryLimitBytes: gibibyte },
  ],
  [
    "an init container without limits",
    { initContainers: [c({}, "i")], containers: [c(half)] },
    {},
    { cpuShares: 512 },
  ],
  [
    "an init container after a limited sidecar",
    { initContainers: [c(half, "s", sidecar), c({}, "i")], containers: [c(half)] },
    {},
    { cpuShares: 1024, cpuQuota: 100_000, cpuPeriod: 100_000, memoryLimitBytes: 2 * gibibyte },
  ],
  [
    "huge pages",
    { containers: [c({ ...half, "hugepages-2Mi": "4Mi" })] },
    { hugePageSizes: ["2MB", "1GB"] },
    {
      ...{ cpuShares: 512, ...quota, memoryLimitBytes: gibibyte },
      hugepageLimits: [
        { pageSize: "2MB", limit: 4_194_304 },
        { pageSize: "1GB", limit: 0 },
      ],
    },
  ],
])("podCgroupResources: %s", (_, spec, settings, expected) => {
  const all = { ...resourceSettings, ...settings };
  const resources = podCgroupResources(linuxPod(spec), all);
  expect(resources).toEqual({ hugepageLimits: [], ...expected });
});

test("burstableShares: only burstable pods count", () => {
  const requests = { cpu: "250m" };
  const pods = [podWith({ resources: { requests } }), podWith({ resources: { requests } })];
  expect(burstableShares([...pods, podWith({ resources: { limits: half } })])).toBe(512);
  expect(burstableShares([])).toBe(2);
});

test("nodeCgroupResources: CPU and memory", () => {
  expect(nodeCgroupResources({ cpu: "2", memory: "1Gi", pods: "110" })).toEqual({
    cpuShares: 2048,
    memoryLimitBytes: gibibyte,
  });
});
