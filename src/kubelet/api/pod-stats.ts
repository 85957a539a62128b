import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ContainerStats } from "../../cri/stats-types.ts";
import type { Kubelet } from "../kubelet.ts";

/** The resource usage of a pod's containers. */
export interface PodStats {
  readonly pod: Pod;
  readonly containers: readonly ContainerStats[];
}

/** The resource usage of a node's running pods. */
export async function podStats({ runtime, pods }: Kubelet): Promise<readonly PodStats[]> {
  const stats: PodStats[] = [];
  for (const pod of pods()) {
    const running = await runtime.listContainers({ podUid: pod.metadata.uid, state: "running" });
    if (running.length === 0) continue;
    const containers = await Promise.all(running.map(({ id }) => runtime.containerStats(id)));
    stats.push({ pod, containers });
  }
  return stats;
}
