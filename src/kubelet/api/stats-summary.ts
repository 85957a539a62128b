import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ContainerStats } from "../../cri/stats-types.ts";
import type { Kubelet } from "../kubelet.ts";
import { timeText } from "../pod/container/container-statuses.ts";
import { podStats } from "./pod-stats.ts";

/** The usage of a node and its pods, for `/stats/summary`. */
export async function statsSummary(kubelet: Kubelet, now: number): Promise<object> {
  const pods = await podStats(kubelet);
  const all = pods.flatMap(({ containers }) => containers);
  const time = timeText(now);
  return {
    node: { nodeName: kubelet.nodeName, startTime: time, ...usage(all, time) },
    pods: pods.map(({ pod, containers }) => podSummary(pod, containers, time)),
  };
}

function podSummary(pod: Pod, containers: readonly ContainerStats[], time: string): object {
  const { name, namespace, uid } = pod.metadata;
  return {
    podRef: { name, namespace, uid },
    startTime: pod.status.startTime,
    containers: containers.map((one) => ({
      name: one.metadata.name,
      startTime: pod.status.startTime,
      ...usage([one], time),
      rootfs: { time, usedBytes: one.writableLayer?.usedBytes ?? 0 },
      logs: { time, usedBytes: one.writableLayer?.usedBytes ?? 0 },
    })),
    ...usage(containers, time),
  };
}

function usage(containers: readonly ContainerStats[], time: string): object {
  const sum = (read: (one: ContainerStats) => number): number =>
    containers.reduce((total, one) => total + read(one), 0);
  const spent = containers.reduce((total, one) => total + one.cpuCoreNanoSeconds, 0n);
  return {
    cpu: {
      time,
      usageNanoCores: sum(({ cpuNanoCores }) => cpuNanoCores),
      usageCoreNanoSeconds: Number(spent),
    },
    memory: {
      time,
      usageBytes: sum(({ memoryUsageBytes }) => memoryUsageBytes),
      workingSetBytes: sum(({ memoryWorkingSetBytes }) => memoryWorkingSetBytes),
      rssBytes: sum(({ memoryRssBytes }) => memoryRssBytes),
      pageFaults: 0,
      majorPageFaults: 0,
    },
  };
}
