import { parseDuration } from "../../schema/values/duration.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { bytesOf } from "../pod/resource-amounts.ts";
import type { LinuxConfiguration } from "./read-linux-settings.ts";

/** The part of a kubelet's configuration that decides how pods run on Linux. */
export function linuxConfiguration(
  config: KubeletConfiguration,
  features: ReadonlySet<string> = new Set(),
): LinuxConfiguration {
  const { clusterDomain = "", clusterDNS = [], resolvConf = "", podLogsDir = "" } = config;
  const { systemReserved, kubeReserved } = config;
  const { cgroupDriver, cgroupRoot = "", cpuCFSQuotaPeriod = "100ms", memorySwap } = config;
  return {
    ...{ clusterDomain, clusterDNS, resolvConf, podLogsDir, cgroupRoot },
    seccompDefault: config.seccompDefault ?? false,
    cgroupsPerQOS: config.cgroupsPerQOS ?? true,
    cgroupDriver: cgroupDriver === "systemd" ? "systemd" : "cgroupfs",
    cpuCFSQuota: config.cpuCFSQuota ?? true,
    cpuCFSQuotaPeriod: Number(parseDuration(cpuCFSQuotaPeriod) / 1000n),
    singleProcessOOMKill: config.singleProcessOOMKill,
    hasMemoryQos: features.has("MemoryQoS"),
    memoryThrottlingFactor: config.memoryThrottlingFactor ?? 0.9,
    memoryReservationPolicy: config.memoryReservationPolicy ?? "None",
    reservedMemoryBytes: bytesOf(systemReserved, "memory") + bytesOf(kubeReserved, "memory"),
    podPidsLimit: config.podPidsLimit ?? -1,
    swapBehavior: memorySwap?.swapBehavior === "LimitedSwap" ? "LimitedSwap" : "NoSwap",
  };
}
