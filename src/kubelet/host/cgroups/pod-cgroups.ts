import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { cpuSharesOf } from "../../../cri/linux-resources.ts";
import type { LinuxContainerResources } from "../../../cri/linux-types.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import type { LinuxResources } from "../../../platform/cgroups/linux-resources.ts";
import {
  type CgroupNaming,
  podCgroupPath,
  podCgroupPathOf,
  podUidOf,
  qosCgroupPath,
  qosClasses,
} from "../../pod/linux/pod-cgroup.ts";
import {
  burstableShares,
  type CgroupSettings,
  podCgroupResources,
} from "../../pod/linux/pod-cgroup-resources.ts";
import { PodSetUpError } from "../../pod/pod-host.ts";
import { killCgroup } from "./kill-cgroup.ts";

export interface PodCgroupsOptions extends CgroupSettings {
  readonly cgroups: Cgroups;
  readonly naming: CgroupNaming;
  /** The most processes of a pod; -1 for no limit. */
  readonly podPidsLimit: number;
  /** Whether the CPU of a pod is not limited, because containers have CPUs for themselves; by default no. */
  readonly hasUnlimitedCpu?: ((podUid: string) => boolean) | undefined;
}

/** The cgroups of pods: one each, below that of their class, below that of all pods. */
export interface PodCgroups {
  /** Creates the cgroups above those of pods, or corrects them. */
  ensureRoots(): Promise<void>;
  /** The path of a pod's cgroup. */
  pathOf(pod: Pod): string;
  /** Creates the cgroup of a pod, unless it exists. Rejects with a `PodSetUpError`. */
  setUp(pod: Pod): Promise<void>;
  /** The limits that the cgroup of a pod shall have. */
  limitsFor(pod: Pod): LinuxContainerResources;
  /** The limits that it has. */
  limits(pod: Pod): Promise<LinuxContainerResources>;
  /** Sets some limits of a pod's cgroup; those that are absent stay. */
  update(pod: Pod, resources: LinuxContainerResources): Promise<void>;
  /** Kills what still runs in the cgroup of a pod, and removes it. */
  remove(podUid: string): Promise<void>;
  /** The pods that have a cgroup, by UID. */
  podUids(): Promise<readonly string[]>;
}

/** Opens the cgroups of the pods of this machine. */
export function openPodCgroups(options: PodCgroupsOptions): PodCgroups {
  const { cgroups, naming, podPidsLimit } = options;
  /** The pods whose requests count for the weight of their class. */
  const pods = new Map<string, Pod>();
  const hasHugePages = cgroups.controllers.has("hugetlb");
  const unboundedPages = options.hugePageSizes.map((pageSize) => ({ pageSize, limit: 2 ** 62 }));
  const write = (path: string, resources: LinuxContainerResources, pidsLimit?: number) =>
    cgroups.update(path, { ...hostResources(resources, hasHugePages), pidsLimit });
  const limitsFor = (pod: Pod): LinuxContainerResources => {
    const isUnlimited = options.hasUnlimitedCpu?.(pod.metadata.uid ?? "") ?? false;
    return podCgroupResources(pod, isUnlimited ? { ...options, cpuQuota: false } : options);
  };
  let burstable = 0;
  let weighing: Promise<void> = Promise.resolve();
  /** Pods must not wait for CPU because of the weight that their class had before them. */
  const weigh = (): Promise<void> => {
    const weighed = weighing.then(async () => {
      const cpuShares = burstableShares(pods.values());
      if (cpuShares === burstable) return;
      await write(qosCgroupPath("Burstable", naming), { cpuShares });
      burstable = cpuShares;
    });
    // The next one tries again.
    weighing = weighed.catch(() => {});
    return weighed;
  };
  const removeAt = async (path: string): Promise<void> => {
    await killCgroup(path, cgroups);
    await cgroups.remove(path);
  };
  /** A cgroup without its limits is removed: the next attempt would take it for complete. */
  const createLimited = async (path: string, pod: Pod): Promise<void> => {
    await cgroups.create(path);
    const pidsLimit = podPidsLimit > 0 ? podPidsLimit : undefined;
    try {
      await write(path, limitsFor(pod), pidsLimit);
    } catch (error) {
      await cgroups.remove(path);
      throw error;
    }
  };
  return {
    async ensureRoots() {
      for (const qosClass of qosClasses) {
        const path = qosCgroupPath(qosClass, naming);
        if (!(await cgroups.exists(path))) await cgroups.create(path);
        await write(path, { hugepageLimits: unboundedPages });
      }
      await write(qosCgroupPath("BestEffort", naming), { cpuShares: cpuSharesOf(0) });
      burstable = 0;
      await weigh();
    },
    pathOf: (pod) => podCgroupPath(pod, naming),
    async setUp(pod) {
      pods.set(pod.metadata.uid ?? "", pod);
      const path = podCgroupPath(pod, naming);
      try {
        await weigh();
        if (!(await cgroups.exists(path))) await createLimited(path, pod);
      } catch (cause) {
        const name = path.split("/").filter((part) => part !== "");
        throw new PodSetUpError(
          "FailedCreatePodContainer",
          `unable to ensure pod container exists: failed to create container for [${name.join(" ")}] : ${errorMessage(cause)}`,
          { cause },
        );
      }
    },
    limitsFor,
    limits: (pod) => cgroups.limits(podCgroupPath(pod, naming)),
    async update(pod, resources) {
      pods.set(pod.metadata.uid ?? "", pod);
      await weigh();
      await write(podCgroupPath(pod, naming), resources);
    },
    async remove(podUid) {
      for (const qosClass of qosClasses) await removeAt(podCgroupPathOf(qosClass, podUid, naming));
      if (pods.delete(podUid)) await weigh();
    },
    async podUids() {
      const parents = qosClasses.map((qosClass) => qosCgroupPath(qosClass, naming));
      const folders = await Promise.all(parents.map((parent) => cgroups.children(parent)));
      const uids = folders.flat().map((folder) => podUidOf(folder, naming));
      return uids.filter((uid) => uid !== undefined);
    },
  };
}

const hostResources = (
  { memorySwapLimitBytes, hugepageLimits, oomScoreAdj: _, ...rest }: LinuxContainerResources,
  hasHugePages: boolean,
): LinuxResources => ({
  ...rest,
  memorySwapBytes: memorySwapLimitBytes,
  hugepageLimits: hasHugePages
    ? hugepageLimits?.map(({ pageSize, limit }) => ({ pageSize, limitBytes: limit }))
    : undefined,
});
