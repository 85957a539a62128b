import { expect, test } from "vitest";
import { metricDescriptors, podMetrics } from "./pod-metrics.ts";
import type { ContainerStats, PodSandboxStats } from "./stats-types.ts";
import * as filled from "./wire/filled.test-support.ts";

const pod = podMetrics(filled.sandboxStats, [filled.containerStatus]);
const [container] = pod.containers;
const values = (name: string): unknown =>
  [...pod.metrics, ...(container?.metrics ?? [])]
    .filter((metric) => metric.name === name)
    .map(({ value, labelValues }) => [value, ...labelValues.slice(5)]);

test.each<[string, unknown]>([
  ["container_last_seen", [[1_700_000_000]]],
  ["container_start_time_seconds", [[1_700_000_000]]],
  ["container_cpu_usage_seconds_total", [[1_152_921_504]]],
  ["container_memory_usage_bytes", [[2]]],
  ["container_memory_working_set_bytes", [[1]]],
  ["container_memory_rss", [[3]]],
  ["container_memory_swap", [[7]]],
  [
    "container_memory_failures_total",
    [
      [5, "pgfault", "container"],
      [6, "pgmajfault", "container"],
    ],
  ],
  ["container_fs_usage_bytes", [[9, "/"]]],
  ["container_spec_cpu_period", [[100_000]]],
  ["container_spec_cpu_shares", [[512]]],
  ["container_spec_memory_limit_bytes", [[2 ** 40]]],
  [
    "container_network_receive_bytes_total",
    [
      [1, "eth0"],
      [1, "eth1"],
    ],
  ],
  [
    "container_network_transmit_errors_total",
    [
      [4, "eth0"],
      [4, "eth1"],
    ],
  ],
])("podMetrics: %s", (name, expected) => {
  expect(values(name)).toEqual(expected);
});

test("podMetrics: every metric has a descriptor, and a value for each of its labels", () => {
  for (const { name, labelValues } of [...pod.metrics, ...(container?.metrics ?? [])])
    expect(metricDescriptors.find((one) => one.name === name)?.labelKeys).toHaveLength(
      labelValues.length,
    );
  expect(pod.metrics[0]?.labelValues).toEqual(["n", "ns", "", "s", "", "eth0"]);
  expect(container?.metrics[0]?.labelValues).toEqual(["n", "ns", "main", "c", "busybox:1"]);
});

test("podMetrics: what is not known is left out", () => {
  const { swapUsedBytes, pageFaults, majorPageFaults, writableLayer, ...stats } =
    filled.containerStats;
  const few: PodSandboxStats = {
    ...filled.sandboxStats,
    network: [],
    containers: [stats satisfies ContainerStats],
  };
  const found = podMetrics(few, []);
  expect([found.metrics, found.containers[0]?.metrics.length]).toEqual([[], 5]);
});
