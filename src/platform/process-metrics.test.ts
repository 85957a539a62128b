import { expect, test } from "vitest";
import { MetricsRegistry } from "../base/metrics-registry.ts";
import { addProcessMetrics } from "./process-metrics.ts";

test("addProcessMetrics: values are read at each collection", () => {
  const metrics = new MetricsRegistry();
  addProcessMetrics(metrics);
  const read = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics.text())?.[1]);
  expect(read("process_resident_memory_bytes")).toBeGreaterThan(10e6);
  expect(read("process_start_time_seconds")).toBeCloseTo(performance.timeOrigin / 1000, 0);
  const before = read("process_cpu_seconds_total");
  const { user, system } = process.cpuUsage();
  const spent = (user + system) / 1e6;
  expect(Math.abs(before - spent)).toBeLessThan(1);
  expect(read("process_cpu_seconds_total")).toBeGreaterThanOrEqual(before);
});

test.runIf(process.platform === "linux")("addProcessMetrics: files and memory on Linux", () => {
  const metrics = new MetricsRegistry();
  addProcessMetrics(metrics);
  const names = ["open_fds", "max_fds", "virtual_memory_bytes", "virtual_memory_max_bytes"];
  for (const name of names)
    expect(metrics.text()).toMatch(new RegExp(`^process_${name} [1-9][0-9.]*(e\\+\\d+)?$`, "m"));
});
