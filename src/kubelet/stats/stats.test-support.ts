import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ContainerStats, PodSandboxStats } from "../../cri/stats-types.ts";
import type { PodStats } from "./read-pod-stats.ts";
import type { DiskSpace, MachineUsage, StatsHost } from "./stats-host.ts";

/** The time of all measurements. */
export const at = Date.UTC(2030, 0, 1);
const booted = Date.UTC(2029, 11, 31);

const times = { total: 5, avg10: 1, avg60: 2, avg300: 3 };

/** A container that uses amounts in the order of its number. */
export const containerStats = (name: string, n: number): ContainerStats => ({
  id: `${name}-id`,
  metadata: { name, attempt: 0 },
  labels: {},
  annotations: {},
  at,
  cpuNanoCores: n,
  cpuCoreNanoSeconds: BigInt(n) * 1_000_000_000n,
  memoryWorkingSetBytes: n * 10,
  memoryUsageBytes: n * 20,
  memoryRssBytes: n * 5,
  memoryAvailableBytes: 1000,
  pageFaults: n,
  majorPageFaults: 0,
  swapUsedBytes: n,
  swapAvailableBytes: 100,
  writableLayer: { at, mountpoint: "/data", usedBytes: n * 100, inodesUsed: n },
});

/** A pod with two containers and an emptyDir, a claim and a hosts file. */
export function podStats(): PodStats {
  const containers = [containerStats("a", 1), containerStats("b", 2)];
  const usage: PodSandboxStats = {
    ...containerStats("pod", 4),
    id: "sandbox",
    metadata: { name: "p", namespace: "ns", uid: "u", attempt: 0 },
    network: [
      { name: "eth0", rxBytes: 1, rxErrors: 2, txBytes: 3, txErrors: 4 },
      { name: "net1", rxBytes: 5, rxErrors: 6, txBytes: 7, txErrors: 8 },
    ],
    processCount: 3,
    containers,
    pressure: { cpu: { some: times, full: times }, io: { some: times, full: times } },
  };
  const volume = { at, capacityBytes: 1000, availableBytes: 900, inodes: 50, inodesFree: 40 };
  return {
    usage,
    pod: {
      spec: { volumes: [{ name: "cache", emptyDir: {} }, { name: "data" }] },
    } as unknown as Pod,
    createdAt: booted + 1000,
    containers: containers.map((stats) => ({ stats, createdAt: booted + 2000, space: disk })),
    files: {
      logs: new Map([["a", { bytes: 11, inodes: 1 }]]),
      others: { bytes: 512, inodes: 1 },
      volumes: new Map([
        ["cache", { ...volume, usedBytes: 7, inodesUsed: 2 }],
        [
          "data",
          { ...volume, usedBytes: 100, inodesUsed: 10, claim: { namespace: "ns", name: "c" } },
        ],
      ]),
    },
  };
}

export const disk: DiskSpace = {
  device: "/dev/vda1",
  capacityBytes: 10_000,
  availableBytes: 6000,
  usedBytes: 3000,
  inodes: 100,
  inodesFree: 60,
};

/** A large counter: JSON must not round it. */
export const machine: MachineUsage = {
  at,
  bootedAt: booted,
  cpuNanoCores: 500_000_000,
  cpuCoreNanoSeconds: 9_007_199_254_740_993n,
  memoryWorkingSetBytes: 4000,
  memoryUsageBytes: 5000,
  memoryRssBytes: 3000,
  memoryAvailableBytes: 6000,
  swapUsedBytes: 10,
  swapAvailableBytes: 90,
};

const { bootedAt: _, ...podsUsage } = machine;

/** A machine whose values are known. */
export const testHost: StatsHost = {
  machine: async () => machine,
  network: async () => [{ name: "ens3", rxBytes: 1, rxErrors: 0, txBytes: 2, txErrors: 0 }],
  systemContainers: async () => [
    { ...podsUsage, name: "pods", cgroup: "/kubepods", startedAt: booted },
  ],
  disks: async () => ({
    node: disk,
    images: { used: { bytes: 500, inodes: 5 }, space: disk },
    containers: undefined,
  }),
  space: async () => disk,
  tasks: async () => ({ count: 300, most: 32_768 }),
  podFiles: async () => podStats().files ?? never(),
  info: async () => ({
    ...{ machineID: "m", systemUUID: "s", bootID: "b", kernelVersion: "6.1", osImage: "Linux" },
    ...{ cpus: 8, physicalCores: 4, sockets: 1, memoryBytes: 16_000, swapBytes: 100 },
  }),
};

const never = (): never => {
  throw new Error("the pod has files");
};
