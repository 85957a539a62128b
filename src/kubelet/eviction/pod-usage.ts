import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { DiskPart } from "./filesystem-layout.ts";

/** What a pod uses. */
export interface PodUsage {
  /** The working set of its containers. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly containers: readonly ContainerUsage[];
  readonly volumes: readonly VolumeUsage[];
  /** Files of the kubelet for the pod, such as its hosts file. */
  readonly otherBytes?: number | undefined;
}

export interface ContainerUsage {
  readonly name: string;
  readonly memoryBytes: number;
  /** What it wrote into its root file system; absent where it was not measured. */
  readonly root?: DiskUsage | undefined;
  readonly logs?: DiskUsage | undefined;
}

export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

export interface VolumeUsage extends DiskUsage {
  /** The name of the volume in its pod. */
  readonly name: string;
}

/** What a pod uses of its disk, by parts. Volumes count if they are on the node. */
export function podDiskUsage(pod: Pod, usage: PodUsage, parts: readonly DiskPart[]): DiskUsage {
  const of = (part: "root" | "logs") =>
    parts.includes(part) ? usage.containers.map((container) => container[part]) : [];
  const volumes = parts.includes("volumes") ? usage.volumes : [];
  const local = volumes.filter(({ name }) => isLocalVolume(pod, name));
  return sum([...of("root"), ...of("logs"), ...local]);
}

/** What counts towards the limit of a pod's local storage. */
export const ephemeralBytes = (pod: Pod, usage: PodUsage): number =>
  podDiskUsage(pod, usage, ["root", "logs"]).bytes +
  sum(usage.volumes.filter(({ name }) => isEphemeralVolume(pod, name))).bytes +
  (usage.otherBytes ?? 0);

function sum(all: readonly (DiskUsage | undefined)[]): DiskUsage {
  const known = all.filter((one) => one !== undefined);
  return {
    bytes: known.reduce((total, { bytes }) => total + bytes, 0),
    inodes: known.reduce((total, { inodes }) => total + inodes, 0),
  };
}

function isLocalVolume(pod: Pod, name: string): boolean {
  const volume = volumeNamed(pod, name);
  return volume?.hostPath !== undefined || isEphemeralVolume(pod, name);
}

/** Whether a volume takes the node's disk, and goes with its pod. */
export function isEphemeralVolume(pod: Pod, name: string): boolean {
  const { emptyDir, configMap, gitRepo } = volumeNamed(pod, name) ?? {};
  if (emptyDir) return (emptyDir.medium ?? "") === "";
  return configMap !== undefined || gitRepo !== undefined;
}

const volumeNamed = ({ spec }: Pod, name: string) =>
  spec.volumes?.find((volume) => volume.name === name);
