import type { UserNamespaceOptions } from "../../../cri/linux-types.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { MemoryQos } from "./memory-qos.ts";
import type { CgroupNaming } from "./pod-cgroup.ts";

/** What a node knows, and its kubelet is configured with, about running pods on Linux. */
export interface LinuxSettings {
  /** The domain of the cluster's services; empty if there is none. */
  readonly clusterDomain: string;
  /** The addresses of the cluster's name servers. */
  readonly clusterDns: readonly string[];
  /** The content of the node's resolver file; undefined if the kubelet is told to use none. */
  readonly resolvConf: string | undefined;
  readonly nodeIPs: readonly string[];
  /** The folder of the logs of all pods. */
  readonly podLogsDir: string;
  /** The folder of seccomp profiles that pods name. */
  readonly seccompDir: string;
  /** Whether containers without a seccomp profile get the runtime's. */
  readonly seccompDefault: boolean;
  /** How cgroups of pods are named; undefined if pods have none. */
  readonly cgroups: CgroupNaming | undefined;
  readonly resources: ResourceSettings;
  /** The paths that are hidden from containers; those of the runtime if absent. */
  readonly maskedPaths?: readonly string[] | undefined;
}

/** How resources are limited on a node. */
export interface ResourceSettings {
  readonly cgroupVersion: 1 | 2;
  /** Whether CPU limits are enforced. */
  readonly cpuQuota: boolean;
  /** The period of CPU limits, in microseconds. */
  readonly cpuQuotaPeriod: number;
  readonly memoryCapacityBytes: number;
  readonly swapCapacityBytes: number;
  /** Whether the kernel can limit swap. */
  readonly canLimitSwap: boolean;
  readonly swapBehavior: "NoSwap" | "LimitedSwap";
  /** The sizes of huge pages that the kernel knows, such as `2MB`. */
  readonly hugePageSizes: readonly string[];
  /** Whether the kernel kills one process instead of the whole container when memory runs out. */
  readonly singleProcessOomKill: boolean;
  /** How memory is protected and throttled; it is not if not given. */
  readonly memoryQos?: MemoryQos | undefined;
}

/** What only the parts of a kubelet that look objects up know of a pod. */
export interface PodLookups {
  /** The handler of the pod's runtime class. */
  readonly runtimeHandler?: string | undefined;
  /** The mapping of the pod's users, if it has its own. */
  readonly userNamespace?: UserNamespaceOptions | undefined;
  /** Groups that own files of the pod's volumes. */
  readonly volumeGroups?: readonly number[] | undefined;
}

/** Receives what users should learn of, about their pod or about the node. */
export type RecordEvent = (event: KubeletEvent, about: "pod" | "node") => void;
