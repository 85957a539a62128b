import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import type { Metric } from "../../cri/stats-types.ts";
import { type TestEngine, testEngine, testImage } from "../engine.test-support.ts";
import { type ContainerReading, containerMetricRows } from "./container-metrics.ts";
import { metricDescriptors } from "./engine-metrics.ts";
import { measure } from "./metric-row.ts";
import { networkMetricRows } from "./network-metrics.ts";

const labels = { pod: "web", namespace: "default", container: "nginx", id: "1f", image: "nginx:1" };

const reading: ContainerReading = {
  at: 1_700_000_009_500,
  startedAt: 1_700_000_000_900,
  stats: {
    cpu: {
      ...{ usageNs: 2_500_000_000n, userNs: 2_000_000_000n, systemNs: 500_000_000n },
      ...{ periods: 9, throttledPeriods: 4, throttledNs: 1_250_000_000n, perCpuNs: [] },
    },
    memory: {
      ...{
        usageBytes: 900,
        workingSetBytes: 700,
        rssBytes: 500,
        swapBytes: 20,
        maxUsageBytes: 950,
      },
      ...{ limitHits: 3, pageFaults: 80, majorPageFaults: 8, oomKills: 1 },
      details: {
        ...{ total_cache: 300, total_mapped_file: 30, pgfault: 70, pgmajfault: 7 },
        ...{ total_active_file: 100, total_inactive_file: 200 },
      },
    },
    pids: { current: 5, limit: 100 },
    io: [{ major: 8, minor: 1, readBytes: 40, writeBytes: 60, reads: 4, writes: 6 }],
  },
  resources: { cpuShares: 102, cpuQuota: 50_000, cpuPeriod: 100_000, memoryLimitBytes: 1000 },
  disk: { usedBytes: 4096, sizeBytes: 1 << 30, inodes: 1000, freeInodes: 900 },
  processes: { count: 2, files: 12, sockets: 3, mostFiles: 1024 },
};

/** Metrics as Prometheus writes them, with the labels that are not those of every metric. */
function shown(metrics: readonly Metric[]): Record<string, number> {
  const line = ({ name, labelValues }: Metric): string => [name, ...labelValues.slice(5)].join(" ");
  return Object.fromEntries(metrics.map((metric) => [line(metric), metric.value]));
}

test("containerMetricRows: what is read of a container, in the units of the names", () => {
  const metrics = measure(containerMetricRows, reading, { labels, at: 7 });
  expect(metrics[0]).toEqual({
    ...{ name: "container_last_seen", at: 7, type: "gauge", value: 1_700_000_009 },
    labelValues: ["web", "default", "nginx", "1f", "nginx:1"],
  });
  expect(shown(metrics)).toEqual({
    container_last_seen: 1_700_000_009,
    container_start_time_seconds: 1_700_000_000,
    container_spec_cpu_period: 100_000,
    container_spec_cpu_quota: 50_000,
    container_spec_cpu_shares: 102,
    container_spec_memory_limit_bytes: 1000,
    container_spec_memory_reservation_limit_bytes: 0,
    container_spec_memory_swap_limit_bytes: 0,
    container_cpu_usage_seconds_total: 2.5,
    container_cpu_user_seconds_total: 2,
    container_cpu_system_seconds_total: 0.5,
    container_cpu_cfs_periods_total: 9,
    container_cpu_cfs_throttled_periods_total: 4,
    container_cpu_cfs_throttled_seconds_total: 1.25,
    container_memory_usage_bytes: 900,
    container_memory_working_set_bytes: 700,
    container_memory_max_usage_bytes: 950,
    container_memory_rss: 500,
    container_memory_cache: 300,
    container_memory_mapped_file: 30,
    container_memory_total_active_file_bytes: 100,
    container_memory_total_inactive_file_bytes: 200,
    container_memory_swap: 20,
    container_memory_failcnt: 3,
    "container_memory_failures_total pgfault container": 70,
    "container_memory_failures_total pgmajfault container": 7,
    "container_memory_failures_total pgfault hierarchy": 80,
    "container_memory_failures_total pgmajfault hierarchy": 8,
    container_oom_events_total: 1,
    "container_fs_usage_bytes /": 4096,
    "container_fs_limit_bytes /": 1 << 30,
    "container_fs_inodes_total /": 1000,
    "container_fs_inodes_free /": 900,
    "container_fs_reads_bytes_total 8:1": 40,
    "container_fs_reads_total 8:1": 4,
    "container_fs_writes_bytes_total 8:1": 60,
    "container_fs_writes_total 8:1": 6,
    "container_blkio_device_usage_total 8:1 8 1 Read": 40,
    "container_blkio_device_usage_total 8:1 8 1 Write": 60,
    container_processes: 2,
    container_threads: 5,
    container_threads_max: 100,
    container_file_descriptors: 12,
    container_sockets: 3,
    "container_ulimits_soft max_open_files": 1024,
  });
});

test("containerMetricRows: numbers of version 2, and none for limits that do not exist", () => {
  const { stats } = reading;
  const times = { avg10: 0, avg60: 0, avg300: 0 };
  const pressure = { some: { ...times, totalNs: 3_000_000_000n } };
  const details = {
    file: 11,
    file_mapped: 12,
    active_file: 13,
    inactive_file: 14,
    kernel_stack: 15,
  };
  const second: ContainerReading = {
    ...reading,
    resources: { cpuQuota: -1, memoryLimitBytes: -1, memorySwapBytes: -1 },
    stats: {
      ...stats,
      cpu: { ...stats.cpu, pressure },
      memory: { ...stats.memory, details },
      ...{ pids: { current: 1 }, io: [] },
    },
    processes: { count: 1, files: 0, sockets: 0 },
  };
  const found = shown(measure(containerMetricRows, second, { labels, at: 0 }));
  expect(found).toMatchObject({
    container_memory_cache: 11,
    container_memory_mapped_file: 12,
    container_memory_total_active_file_bytes: 13,
    container_memory_total_inactive_file_bytes: 14,
    container_memory_kernel_usage: 15,
    container_pressure_cpu_waiting_seconds_total: 3,
    container_spec_memory_limit_bytes: 0,
    container_spec_memory_swap_limit_bytes: 0,
    container_threads_max: 0,
  });
  expect(
    Object.keys(found).filter((name) => /quota|shares|ulimits|stalled|device/.test(name)),
  ).toEqual([]);
});

test("networkMetricRows: a value for each interface", () => {
  const one = {
    ...{ name: "eth0", rxBytes: 1, rxPackets: 2, rxDropped: 3, rxErrors: 4 },
    ...{ txBytes: 5, txPackets: 6, txDropped: 7, txErrors: 8 },
  };
  const metrics = measure(networkMetricRows, [one, { ...one, name: "net1" }], { labels, at: 0 });
  expect(metrics).toHaveLength(16);
  expect(shown(metrics)).toMatchObject({
    "container_network_receive_bytes_total eth0": 1,
    "container_network_receive_packets_total eth0": 2,
    "container_network_receive_packets_dropped_total eth0": 3,
    "container_network_receive_errors_total eth0": 4,
    "container_network_transmit_bytes_total eth0": 5,
    "container_network_transmit_packets_total net1": 6,
    "container_network_transmit_packets_dropped_total net1": 7,
    "container_network_transmit_errors_total net1": 8,
  });
});

test("metricDescriptors: every name once, with as many labels as values have", () => {
  const names = metricDescriptors.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const keys = new Map(metricDescriptors.map(({ name, labelKeys }) => [name, labelKeys.length]));
  for (const { name, labelValues } of measure(containerMetricRows, reading, { labels, at: 0 }))
    expect([name, labelValues.length]).toEqual([name, keys.get(name)]);
  expect(metricDescriptors.filter(({ help }) => !/^[A-Z].*\.$/.test(help))).toEqual([]);
});

describeWith(requires("containers", "cniPlugins"))("listPodSandboxMetrics", () => {
  let opened: TestEngine;
  beforeAll(async () => {
    opened = await testEngine();
  });
  afterAll(() => opened?.remove());

  test("a pod has its network and its containers, those that run", async () => {
    const { runtime } = opened;
    const pod = {
      metadata: { name: "web", namespace: "shop", uid: "u1", attempt: 0 },
      ...{ hostname: "web", hostNetwork: false, labels: {}, annotations: {} },
    };
    const sandboxId = await runtime.runPodSandbox(pod);
    const [before] = await runtime.listPodSandboxMetrics();
    expect(before?.containers).toEqual([]);
    expect(shown(before?.metrics ?? [])).toHaveProperty(
      "container_network_receive_bytes_total eth0",
    );
    const script = "head -c 100000 /dev/zero > /written; exec sleep infinity";
    const id = await runtime.createContainer(sandboxId, {
      ...{ metadata: { name: "main", attempt: 0 }, image: testImage, kind: "container" },
      ...{ command: ["sh", "-c", script], args: [], workingDir: "", env: [], labels: {} },
      ...{ annotations: {}, stdin: false, stdinOnce: false, tty: false },
      terminationMessagePath: "",
      resources: { memoryLimitBytes: 64 << 20, cpuRequestMillis: 125 },
    });
    await runtime.startContainer(id);
    const read = async () => {
      const [found] = await runtime.listPodSandboxMetrics();
      return found?.containers.find(({ containerId }) => containerId === id)?.metrics ?? [];
    };
    await expect
      .poll(async () => shown(await read())["container_fs_usage_bytes /"])
      .toBeGreaterThanOrEqual(100_000);
    const metrics = await read();
    expect(metrics[0]?.labelValues).toEqual(["web", "shop", "main", id, testImage]);
    const now = Date.now() / 1000;
    const found = shown(metrics);
    expect(found.container_cpu_usage_seconds_total).toBeGreaterThan(0);
    expect(found.container_memory_usage_bytes).toBeGreaterThan(0);
    expect(found.container_memory_usage_bytes).toBeLessThan(64 << 20);
    expect(found.container_start_time_seconds).toBeGreaterThan(now - 600);
    expect(found["container_fs_limit_bytes /"]).toBeGreaterThan(1 << 20);
    expect(found["container_ulimits_soft max_open_files"]).toBeGreaterThan(0);
    expect(found).toMatchObject({
      ...{ container_processes: 1, container_sockets: 0, container_oom_events_total: 0 },
      ...{ container_spec_memory_limit_bytes: 64 << 20, container_spec_cpu_shares: 128 },
    });
    const described = new Set((await runtime.listMetricDescriptors()).map(({ name }) => name));
    expect(metrics.filter(({ name }) => !described.has(name))).toEqual([]);
    await runtime.stopContainer(id, 0);
    expect(await read()).toEqual([]);
    await runtime.stopPodSandbox(sandboxId);
    expect(await runtime.listPodSandboxMetrics()).toEqual([]);
  });
});
