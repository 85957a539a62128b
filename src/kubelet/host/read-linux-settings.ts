import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cgroupFeatures } from "../../platform/cgroups/cgroup-features.ts";
import { openCgroups } from "../../platform/cgroups/host-cgroups.ts";
import type { LinuxSettings } from "../pod/linux/linux-settings.ts";
import { memoryBytes } from "./machine/machine-files.ts";

/** The configuration of a kubelet that decides how pods run on Linux. Names are those of KubeletConfiguration. */
export interface LinuxConfiguration {
  readonly clusterDomain: string;
  readonly clusterDNS: readonly string[];
  /** The path of the node's resolver file; empty for none. */
  readonly resolvConf: string;
  readonly podLogsDir: string;
  readonly seccompDefault: boolean;
  readonly cgroupsPerQOS: boolean;
  readonly cgroupDriver: "cgroupfs" | "systemd";
  readonly cgroupRoot: string;
  /** The most processes of a pod; -1 for no limit. */
  readonly podPidsLimit: number;
  readonly cpuCFSQuota: boolean;
  /** In microseconds. */
  readonly cpuCFSQuotaPeriod: number;
  /** By default, version 2 of cgroups kills all processes of a container. */
  readonly singleProcessOOMKill?: boolean | undefined;
  readonly swapBehavior: "NoSwap" | "LimitedSwap";
  /** Whether the feature MemoryQoS is on. */
  readonly hasMemoryQos: boolean;
  readonly memoryThrottlingFactor: number;
  readonly memoryReservationPolicy: string;
  /** The memory that is reserved for the system and for Kubernetes. */
  readonly reservedMemoryBytes: number;
}

export interface LinuxSettingsOptions {
  readonly configuration: LinuxConfiguration;
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  readonly nodeIPs: () => readonly string[];
}

/** Reads how pods run on this machine. The resolver file is read again for each pod, because it may change. */
export async function readLinuxSettings({
  configuration,
  rootDir,
  nodeIPs,
}: LinuxSettingsOptions): Promise<() => LinuxSettings> {
  const { cgroupRoot, cgroupDriver, resolvConf } = configuration;
  const { version } = await openCgroups();
  const meminfo = readFileSync("/proc/meminfo", "utf8");
  const root = [...cgroupRoot.split("/").filter((part) => part !== ""), "kubepods"];
  const memoryCapacityBytes = memoryBytes(meminfo, "MemTotal");
  const memoryQos = {
    isTiered: configuration.memoryReservationPolicy === "TieredReservation",
    throttlingFactor: configuration.memoryThrottlingFactor,
    allocatableBytes: memoryCapacityBytes - configuration.reservedMemoryBytes,
  };
  const resources = {
    cgroupVersion: version === "v2" ? 2 : 1,
    cpuQuota: configuration.cpuCFSQuota,
    cpuQuotaPeriod: configuration.cpuCFSQuotaPeriod,
    memoryCapacityBytes,
    swapCapacityBytes: memoryBytes(meminfo, "SwapTotal"),
    canLimitSwap: cgroupFeatures().swap,
    swapBehavior: configuration.swapBehavior,
    hugePageSizes: hugePageSizes(),
    memoryQos: version === "v2" && configuration.hasMemoryQos ? memoryQos : undefined,
    singleProcessOomKill: version !== "v2" || (configuration.singleProcessOOMKill ?? false),
  } as const;
  return () => ({
    clusterDomain: configuration.clusterDomain,
    clusterDns: configuration.clusterDNS,
    resolvConf: resolvConf === "" ? undefined : readFileSync(resolvConf, "utf8"),
    nodeIPs: nodeIPs(),
    podLogsDir: configuration.podLogsDir,
    seccompDir: join(rootDir, "seccomp"),
    seccompDefault: configuration.seccompDefault,
    cgroups: configuration.cgroupsPerQOS ? { driver: cgroupDriver, root } : undefined,
    resources,
  });
}

/** The sizes of huge pages that the kernel knows, such as `2MB`. */
function hugePageSizes(): readonly string[] {
  try {
    return readdirSync("/sys/kernel/mm/hugepages").flatMap((folder) => {
      const kilobytes = Number(/^hugepages-(\d+)kB$/.exec(folder)?.[1] ?? 0);
      if (kilobytes === 0) return [];
      if (kilobytes >= 1024 * 1024) return [`${kilobytes / 1024 / 1024}GB`];
      return kilobytes >= 1024 ? [`${kilobytes / 1024}MB`] : [`${kilobytes}KB`];
    });
  } catch {
    return [];
  }
}
