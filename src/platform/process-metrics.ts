import { readdirSync, readFileSync } from "node:fs";
import type { Gauge } from "../base/metrics.ts";
import type { MetricsRegistry } from "../base/metrics-registry.ts";

/** Adds Prometheus' process metrics, which are read when they are collected. */
export function addProcessMetrics(metrics: MetricsRegistry): void {
  const gauge = (name: string, help: string): Gauge => metrics.gauge({ name, help }).of();
  const started = gauge(
    "process_start_time_seconds",
    "When the process started, in seconds since 1970.",
  );
  const resident = gauge("process_resident_memory_bytes", "Bytes of memory that the process has.");
  const cpu = metrics.counter({
    name: "process_cpu_seconds_total",
    help: "Seconds of processor time that the process has used.",
  });
  let counted = 0;
  metrics.onRead(() => {
    started.set(performance.timeOrigin / 1000);
    resident.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1e6;
    cpu.of().add(seconds - counted);
    counted = seconds;
  });
  if (process.platform === "linux") addLinuxMetrics(metrics, gauge);
}

type MakeGauge = (name: string, help: string) => Gauge;

function addLinuxMetrics(metrics: MetricsRegistry, gauge: MakeGauge): void {
  const openFiles = gauge("process_open_fds", "Files and sockets that are open.");
  const mostFiles = gauge("process_max_fds", "How many files and sockets may be open.");
  const virtual = gauge(
    "process_virtual_memory_bytes",
    "Bytes of address space that the process has.",
  );
  const mostVirtual = gauge(
    "process_virtual_memory_max_bytes",
    "How large the address space may become.",
  );
  metrics.onRead(() => {
    const limits = readFileSync("/proc/self/limits", "utf8");
    // One of them is the handle of the directory being read.
    openFiles.set(readdirSync("/proc/self/fd").length - 1);
    mostFiles.set(limitOf(limits, "Max open files"));
    virtual.set(Number(statusOf("VmSize")) * 1024);
    mostVirtual.set(limitOf(limits, "Max address space"));
  });
}

/** The number of a field in `/proc/self/status`. */
function statusOf(name: string): string {
  const status = readFileSync("/proc/self/status", "utf8");
  return new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? "0";
}

/** The soft limit in `/proc/self/limits`; unlimited is the largest 64-bit number. */
function limitOf(limits: string, name: string): number {
  const value = new RegExp(`^${name}\\s+(\\S+)`, "m").exec(limits)?.[1] ?? "0";
  return value === "unlimited" ? 2 ** 64 : Number(value);
}
