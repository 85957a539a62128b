import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { ContainerResources } from "../../../cri/runtime-types.ts";
import { type ActualInput, actualResources } from "./actual-resources.ts";

const mebibyte = 1 << 20;
const allocated = {
  requests: { cpu: "150m", memory: "32Mi" },
  limits: { cpu: "300m", memory: "64Mi" },
};
const actual: ContainerResources = {
  ...{ cpuRequestMillis: 100, cpuLimitMillis: 200 },
  ...{ memoryLimitBytes: 48 * mebibyte, memoryRequestBytes: 16 * mebibyte },
};
const old = { resources: { limits: { cpu: "7" }, requests: { memory: "5Mi" } } };

each<[string, object, ContainerResources, Partial<ActualInput>, object]>([
  ["none", {}, actual, {}, {}],
  [
    "those in force while a resize is in progress",
    allocated,
    actual,
    {},
    { requests: { cpu: "100m", memory: "16Mi" }, limits: { cpu: "200m", memory: "48Mi" } },
  ],
  [
    "requests of memory are on record",
    { requests: { memory: "32Mi" } },
    actual,
    { actuated: { containers: { c: { requests: { memory: "24Mi" } } } } },
    { requests: { memory: "24Mi", cpu: "100m" } },
  ],
  [
    "what is not known is as before",
    allocated,
    {},
    { old: old as unknown as ContainerStatus },
    { requests: { cpu: "150m", memory: "5Mi" }, limits: { cpu: "7", memory: "64Mi" } },
  ],
  ["what is not known at all is as allocated", allocated, {}, {}, allocated],
  [
    "less than a runtime can report",
    { requests: { cpu: "1m" }, limits: { cpu: "5m" } },
    { cpuRequestMillis: 2, cpuLimitMillis: 10 },
    {},
    { requests: { cpu: "1m" }, limits: { cpu: "5m" } },
  ],
  [
    "memory is in powers of two",
    { limits: { memory: "100M" } },
    { memoryLimitBytes: 100_000_000 },
    {},
    { limits: { memory: "100000000" } },
  ],
])("actualResources: %s", (_, resources, inForce, given, expected) => {
  const running = { resources: inForce } as ActualInput["running"];
  const container = { name: "c", resources };
  const input = { container, running, old: undefined, actuated: undefined, ...given };
  expect(actualResources(input)).toEqual(expected);
});
