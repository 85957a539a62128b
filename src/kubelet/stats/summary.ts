import type { InterfaceUsage } from "../../cri/stats-types.ts";
import { timeText } from "../pod/container/container-statuses.ts";
import { sumOf } from "./node-usage.ts";
import { podSummary } from "./pod-summary.ts";
import type { PodStats } from "./read-pod-stats.ts";
import type { MachineUsage, NodeDisks, SystemContainer, UsedDisk } from "./stats-host.ts";
import { fsStats, networkStats, resourceStats, spaceStats } from "./summary-parts.ts";

/** All that `/stats/summary` shows of a node. */
export interface SummaryInput {
  readonly nodeName: string;
  readonly now: number;
  readonly pods: readonly PodStats[];
  /** Absent for a node without a machine: it uses what its pods use. */
  readonly machine?: MachineUsage | undefined;
  readonly systemContainers?: readonly SystemContainer[] | undefined;
  /** Absent where only CPU and memory were asked for. */
  readonly details?: SummaryDetails | undefined;
}

export interface SummaryDetails {
  readonly network: readonly InterfaceUsage[];
  readonly disks: NodeDisks;
  readonly tasks: { readonly count: number; readonly most: number };
}

/** The usage of a node and its pods, for `/stats/summary`. */
export function summaryOf(input: SummaryInput): object {
  const { nodeName, now, pods, machine, systemContainers, details } = input;
  const containers = pods.flatMap(({ usage }) => usage.containers);
  const usage = machine ?? sumOf(containers, now);
  const disks = details?.disks;
  return {
    node: {
      nodeName,
      ...(systemContainers && {
        systemContainers: systemContainers.map((one) => ({
          name: one.name,
          startTime: timeText(one.startedAt),
          ...resourceStats(one, { withIo: details !== undefined }),
        })),
      }),
      startTime: timeText(machine?.bootedAt ?? now),
      ...resourceStats(usage, { withIo: details !== undefined }),
      ...(details && { network: networkStats(details.network, usage.at) }),
      ...(disks && {
        fs: {
          ...spaceStats(disks.node, now),
          usedBytes: disks.node.usedBytes,
          ...nodeInodes(disks),
        },
        runtime: {
          ...(disks.images && { imageFs: usedDisk(disks.images, now) }),
          ...(disks.containers && { containerFs: usedDisk(disks.containers, now) }),
        },
      }),
      ...(details && {
        rlimit: {
          time: timeText(now),
          maxpid: details.tasks.most,
          curproc: details.tasks.count,
        },
      }),
    },
    pods: pods.map((pod) => podSummary(pod, disks?.node, now)),
  };
}

const nodeInodes = ({ node: { inodes, inodesFree } }: NodeDisks) => ({
  inodesUsed: inodes - inodesFree,
});

const usedDisk = ({ used, space }: UsedDisk, now: number) => fsStats(space, used, now);
