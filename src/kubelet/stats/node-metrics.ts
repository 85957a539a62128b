import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ReadFamily, Sample } from "../../base/metrics-text.ts";
import type { ContainerStatus, PodSandboxStatus } from "../../cri/runtime-types.ts";
import type { Kubelet } from "../kubelet.ts";
import { isStaticPod } from "../pod/static-pod.ts";
import type { PodFiles, PodVolumeUsage } from "./stats-host.ts";

/** What is counted of a node when its metrics are read. */
export interface NodeCounts {
  /** The sandboxes that are ready. */
  readonly sandboxes: readonly PodSandboxStatus[];
  readonly containers: readonly ContainerStatus[];
  readonly kubelet: Pick<Kubelet, "pods" | "activePods" | "mirrorPods">;
  /** The files of pods by the IDs of their sandboxes. */
  readonly files: ReadonlyMap<string, PodFiles>;
}

/** The metrics of a kubelet that are read from its runtime and its machine, for `/metrics`. */
export function nodeMetrics(counts: NodeCounts): readonly ReadFamily[] {
  const { sandboxes, containers, files, kubelet } = counts;
  const states = [...new Set(containers.map(({ state }) => state))];
  return [
    podCounts(
      "active_pods",
      "The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.",
      kubelet.activePods(),
    ),
    {
      name: "kubelet_container_log_filesystem_used_bytes",
      help: "Bytes used by the container's logs on the filesystem.",
      type: "gauge",
      stability: "ALPHA",
      samples: sandboxes.flatMap(({ id, metadata: { name: pod, namespace, uid } }) =>
        [...(files.get(id)?.logs ?? [])].map(([container, { bytes }]) => ({
          labels: { uid, namespace, pod, container },
          value: bytes,
        })),
      ),
    },
    podCounts(
      "desired_pods",
      "The number of pods the kubelet is being instructed to run. static is true if the pod is not from the apiserver.",
      kubelet.pods(),
    ),
    {
      name: "kubelet_mirror_pods",
      help: "The number of mirror pods the kubelet will try to create (one per admitted static pod)",
      type: "gauge",
      stability: "ALPHA",
      samples: [{ labels: {}, value: kubelet.mirrorPods().length }],
    },
    {
      name: "kubelet_running_containers",
      help: "Number of containers currently running",
      type: "gauge",
      stability: "ALPHA",
      samples: states.map((state) => ({
        labels: { container_state: state },
        value: containers.filter((one) => one.state === state).length,
      })),
    },
    {
      name: "kubelet_running_pods",
      help: "Number of pods that have a running pod sandbox",
      type: "gauge",
      stability: "ALPHA",
      samples: [{ labels: {}, value: sandboxes.length }],
    },
    ...volumeMetrics([...files.values()]),
  ];
}

/** Pods of the API, and static ones. */
function podCounts(name: string, help: string, pods: readonly Pod[]): ReadFamily {
  const statics = pods.filter(isStaticPod).length;
  return {
    ...{ name: `kubelet_${name}`, help, type: "gauge", stability: "ALPHA" },
    samples: [
      { labels: { static: "" }, value: pods.length - statics },
      { labels: { static: "true" }, value: statics },
    ],
  };
}

/** Each claim is shown once, however many pods use it. */
function volumeMetrics(files: readonly PodFiles[]): readonly ReadFamily[] {
  const claims = new Map<string, PodVolumeUsage>();
  for (const { volumes } of files)
    for (const usage of volumes.values())
      if (usage.claim) claims.set(`${usage.claim.namespace}/${usage.claim.name}`, usage);
  return volumeRows.map(([name, help, of]) => ({
    name: `kubelet_volume_stats_${name}`,
    help,
    type: "gauge",
    stability: "ALPHA",
    samples: [...claims.values()].map(
      (usage): Sample => ({
        labels: {
          namespace: usage.claim?.namespace ?? "",
          persistentvolumeclaim: usage.claim?.name ?? "",
        },
        value: usage[of],
      }),
    ),
  }));
}

const volumeRows = [
  ["available_bytes", "Number of available bytes in the volume", "availableBytes"],
  ["capacity_bytes", "Capacity in bytes of the volume", "capacityBytes"],
  ["inodes", "Maximum number of inodes in the volume", "inodes"],
  ["inodes_free", "Number of free inodes in the volume", "inodesFree"],
  ["inodes_used", "Number of used inodes in the volume", "inodesUsed"],
  ["used_bytes", "Number of used bytes in the volume", "usedBytes"],
] as const satisfies readonly [string, string, keyof PodVolumeUsage][];
