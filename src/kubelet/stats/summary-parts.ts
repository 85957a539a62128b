import type { InterfaceUsage, Pressure } from "../../cri/stats-types.ts";
import { timeText } from "../pod/container/container-statuses.ts";
import type { DiskSpace, FileUsage, SwapUsage } from "./stats-host.ts";

/** CPU, memory and swap, as the summary has them. */
export function resourceStats(usage: SwapUsage, { withIo }: { readonly withIo: boolean }): object {
  const time = timeText(usage.at);
  const { pressure } = usage;
  return {
    cpu: {
      time,
      usageNanoCores: usage.cpuNanoCores,
      usageCoreNanoSeconds: usage.cpuCoreNanoSeconds,
      ...(pressure?.cpu && { psi: psiStats(pressure.cpu) }),
    },
    memory: {
      time,
      ...defined({ availableBytes: usage.memoryAvailableBytes }),
      usageBytes: usage.memoryUsageBytes,
      workingSetBytes: usage.memoryWorkingSetBytes,
      rssBytes: usage.memoryRssBytes,
      ...defined({ pageFaults: usage.pageFaults, majorPageFaults: usage.majorPageFaults }),
      ...(pressure?.memory && { psi: psiStats(pressure.memory) }),
    },
    ...(withIo && pressure?.io && { io: { time, psi: psiStats(pressure.io) } }),
    ...(usage.swapUsedBytes !== undefined && {
      swap: {
        time,
        ...defined({ swapAvailableBytes: usage.swapAvailableBytes }),
        swapUsageBytes: usage.swapUsedBytes,
      },
    }),
  };
}

const psiStats = ({ full, some }: Pressure): object => ({ full, some });

/** The interface `eth0`, and all interfaces. */
export function networkStats(interfaces: readonly InterfaceUsage[], at: number): object {
  const stats = interfaces.map(({ name, rxBytes, rxErrors, txBytes, txErrors }) => {
    return { name, rxBytes, rxErrors, txBytes, txErrors };
  });
  const usual = stats.find(({ name }) => name === "eth0") ?? { name: "" };
  return { time: timeText(at), ...usual, ...(stats.length > 0 && { interfaces: stats }) };
}

/** The state of a file system; inodes are left out where they are not counted. */
export const spaceStats = (space: DiskSpace | undefined, at: number): object => ({
  time: timeText(at),
  ...(space && {
    availableBytes: space.availableBytes,
    capacityBytes: space.capacityBytes,
    inodesFree: space.inodesFree,
    inodes: space.inodes,
  }),
});

/** What files take of a file system. */
export const fsStats = (
  space: DiskSpace | undefined,
  used: FileUsage | undefined,
  at: number,
): object => ({
  ...spaceStats(space, at),
  ...(used && { usedBytes: used.bytes, inodesUsed: used.inodes }),
});

/** The members that are not undefined. */
const defined = (members: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
