import type { PodSandboxMetadata } from "../../cri/runtime-types.ts";
import type { InterfaceUsage, ResourceUsage } from "../../cri/stats-types.ts";

/** Reads what a machine uses. Nothing is read before it is asked for. */
export interface StatsHost {
  /** The usage of processors and memory of the whole machine. */
  machine(): Promise<MachineUsage>;
  /** The interfaces of the machine itself, without those of pods. */
  network(): Promise<readonly InterfaceUsage[]>;
  /** The usage of groups of processes, by upstream's names: `pods`, `kubelet`. */
  systemContainers(): Promise<readonly SystemContainer[]>;
  disks(): Promise<NodeDisks>;
  /** The file system of a path; undefined if there is no such path. */
  space(path: string): Promise<DiskSpace | undefined>;
  /** How many processes and threads there are, and how many there can be. */
  tasks(): Promise<{ readonly count: number; readonly most: number }>;
  /** The files of a pod on the node, beside what its containers write into their root file systems. */
  podFiles(pod: PodSandboxMetadata): Promise<PodFiles>;
  /** What the machine is, for metrics. */
  info(): Promise<MachineFacts>;
}

export interface MachineUsage extends SwapUsage {
  /** When the machine was started, in milliseconds since the epoch. */
  readonly bootedAt: number;
}

export interface SwapUsage extends ResourceUsage {
  readonly swapUsedBytes?: number | undefined;
  readonly swapAvailableBytes?: number | undefined;
}

export interface SystemContainer extends SwapUsage {
  readonly name: string;
  /** Its cgroup, such as `/kubepods`. */
  readonly cgroup: string;
  readonly startedAt: number;
}

/** The state of a file system. */
export interface DiskSpace {
  /** The name of its device, such as `/dev/vda1`. */
  readonly device: string;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  /** All that is used, by whomever. */
  readonly usedBytes: number;
  /** 0 for file systems that do not count them. */
  readonly inodes: number;
  readonly inodesFree: number;
}

/** What files take on disk. */
export interface FileUsage {
  readonly bytes: number;
  readonly inodes: number;
}

/** The file systems of a node, and what images and containers take of theirs. */
export interface NodeDisks {
  readonly node: DiskSpace;
  readonly images: UsedDisk | undefined;
  readonly containers: UsedDisk | undefined;
}

export interface UsedDisk {
  readonly used: FileUsage;
  readonly space: DiskSpace | undefined;
}

export interface PodFiles {
  /** The logs of its containers by name, with those of earlier instances. */
  readonly logs: ReadonlyMap<string, FileUsage>;
  /** Its hosts file, and logs that belong to no container. */
  readonly others: FileUsage;
  /** By the name of the volume. */
  readonly volumes: ReadonlyMap<string, PodVolumeUsage>;
}

export interface PodVolumeUsage {
  /** When it was measured. */
  readonly at: number;
  /** The claim of a persistent volume. */
  readonly claim?: { readonly namespace: string; readonly name: string } | undefined;
  readonly usedBytes: number;
  readonly inodesUsed: number;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

/** The properties of a machine that do not change while it runs. */
export interface MachineFacts {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** The processors that programs see; several may share a core, and several cores a socket. */
  readonly cpus: number;
  readonly physicalCores: number;
  readonly sockets: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
}
