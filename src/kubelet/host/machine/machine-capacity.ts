import { bytesText } from "../../memory/bytes-text.ts";
import type { Amounts } from "../../node/node-findings.ts";
import type { MachineInfo } from "./machine.ts";

export interface PodLimits {
  readonly maxPods: number;
  /** 0 for no limit. */
  readonly podsPerCore: number;
}

/** The resources of a machine as those of a node. */
export function machineCapacity(
  { cpus, memoryBytes, hugePages }: Pick<MachineInfo, "cpus" | "memoryBytes" | "hugePages">,
  { maxPods, podsPerCore }: PodLimits,
  storageBytes: number | undefined,
): Amounts {
  const pods = podsPerCore > 0 ? Math.min(cpus * podsPerCore, maxPods) : maxPods;
  return {
    cpu: `${cpus}`,
    ...(storageBytes !== undefined && { "ephemeral-storage": bytesText(storageBytes) }),
    ...Object.fromEntries(
      hugePages.map(({ pageBytes, count }) => [
        `hugepages-${bytesText(pageBytes)}`,
        bytesText(pageBytes * count),
      ]),
    ),
    memory: bytesText(memoryBytes),
    pods: `${pods}`,
  };
}
