import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { cpuSharesOf } from "../../../cri/linux-resources.ts";
import type { LinuxContainerResources } from "../../../cri/linux-types.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import type { LinuxResources } from "../../../platform/cgroups/linux-resources.ts";
import {
  classMemoryQos,
  type QosReserve,
  type RequestedMemory,
  requestedMemory,
  reservedLimits,
} from "../../pod/linux/memory-qos.ts";
import {
  type CgroupNaming,
  podCgroupPath,
  podCgroupPathOf,
  podUidOf,
  type QosClass,
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
  /** How much of the memory that pods request is kept from pods of lower classes; nothing if not given. */
  readonly qosReserve?: QosReserve | undefined;
  /** Called with the memory that pods request, when it has changed. */
  readonly requested?: ((memory: RequestedMemory) => void) | undefined;
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
  /** What the cgroups of classes have, as text. */
  const known = new Map<string, string>();
  let weighing: Promise<void> = Promise.resolve();
  /** Processes that use more memory already keep the limit from being set: then it is what they use. */
  const writeReserved = async (path: string, resources: LinuxContainerResources): Promise<void> => {
    const { memoryLimitBytes } = resources;
    if (memoryLimitBytes === undefined) return write(path, resources);
    await write(path, resources).catch(async () => {
      const { memoryBytes } = await cgroups.usage(path);
      await write(path, {
        ...resources,
        memoryLimitBytes: Math.max(memoryBytes, memoryLimitBytes),
      });
    });
  };
  /** Pods must not wait for CPU because of the weight that their class had before them. */
  const weigh = (): Promise<void> => {
    const weighed = weighing.then(async () => {
      for (const [qosClass, resources] of Object.entries(classResources(pods.values(), options))) {
        const text = JSON.stringify(resources);
        if (known.get(qosClass) === text || text === "{}") continue;
        await writeReserved(qosCgroupPath(qosClass as QosClass, naming), resources);
        known.set(qosClass, text);
      }
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
      known.clear();
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

/** The limits of classes, by the pods that they have. */
function classResources(
  pods: Iterable<Pod>,
  { memoryQos, qosReserve, requested }: PodCgroupsOptions,
): Readonly<Record<QosClass, LinuxContainerResources>> {
  const all = [...pods];
  const memory = requestedMemory(all);
  requested?.(memory);
  const files = memoryQos && classMemoryQos(memory, memoryQos);
  const limits = qosReserve && reservedLimits(memory, qosReserve);
  return {
    Guaranteed: { ...(files && { unified: files.Guaranteed }) },
    Burstable: {
      cpuShares: burstableShares(all),
      ...(limits && { memoryLimitBytes: limits.Burstable }),
      ...(files && { unified: files.Burstable }),
    },
    BestEffort: { ...(limits && { memoryLimitBytes: limits.BestEffort }) },
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
