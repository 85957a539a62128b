import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podLimits, podRequests } from "../../../api/core/v1/pod/pod-requests.ts";
import { cpuQuotaOf, cpuSharesOf } from "../../../cri/linux-resources.ts";
import type { LinuxContainerResources } from "../../../cri/linux-types.ts";
import { isSidecar } from "../container/restart-policy.ts";
import { bytesOf, milliCpuOf } from "../resource-amounts.ts";
import { hugePageLimits } from "./huge-pages.ts";
import type { ResourceSettings } from "./linux-settings.ts";
import { podMemoryQos } from "./memory-qos.ts";
import { qosClassOf } from "./pod-cgroup.ts";

export type CgroupSettings = Pick<
  ResourceSettings,
  "cpuQuota" | "cpuQuotaPeriod" | "hugePageSizes" | "memoryQos"
>;

/**
 * The limits of a pod's cgroup. A burstable pod is limited only if each of its containers is, or the pod as a whole:
 * otherwise one container without a limit would be limited by the others'.
 */
export function podCgroupResources(pod: Pod, settings: CgroupSettings): LinuxContainerResources {
  const { spec } = pod;
  const qosClass = qosClassOf(pod);
  const requests = podRequests(spec);
  const hugepageLimits = hugePageLimits(settings.hugePageSizes, requests);
  if (qosClass === "BestEffort") return { cpuShares: cpuSharesOf(0), hugepageLimits };
  const limits = podLimits(spec);
  const isLimited = (name: "cpu" | "memory"): boolean =>
    qosClass === "Guaranteed" || isLimitedEverywhere(pod, name);
  const quota = cpuQuotaOf(milliCpuOf(limits), settings.cpuQuotaPeriod);
  const unified = podMemoryQos(pod, settings.memoryQos);
  return {
    cpuShares: cpuSharesOf(milliCpuOf(requests)),
    ...(isLimited("cpu") && {
      cpuQuota: settings.cpuQuota ? quota : -1,
      cpuPeriod: settings.cpuQuotaPeriod,
    }),
    ...(isLimited("memory") && { memoryLimitBytes: bytesOf(limits, "memory") }),
    ...(unified && { unified }),
    hugepageLimits,
  };
}

/** The limits of the cgroup above all pods', or of the system's own: they are to leave something to each other. */
export const nodeCgroupResources = (
  amounts: Readonly<Record<string, string>>,
): Pick<LinuxContainerResources, "cpuShares" | "memoryLimitBytes"> => ({
  ...(amounts.cpu !== undefined && { cpuShares: cpuSharesOf(milliCpuOf(amounts)) }),
  ...(amounts.memory !== undefined && { memoryLimitBytes: bytesOf(amounts, "memory") }),
});

/** The weight of all burstable pods together, by their requests. */
export const burstableShares = (pods: Iterable<Pod>): number => {
  let millis = 0;
  for (const pod of pods)
    if (qosClassOf(pod) === "Burstable") millis += milliCpuOf(podRequests(pod.spec));
  return cpuSharesOf(millis);
};

function isLimitedEverywhere({ spec }: Pod, name: "cpu" | "memory"): boolean {
  const amountOf = (limits: Readonly<Record<string, string>> | undefined): number =>
    name === "cpu" ? milliCpuOf(limits) : bytesOf(limits, "memory");
  if (amountOf(spec.resources?.limits) !== 0) return true;
  // A sidecar that started before an init container limits it, too.
  let sidecars = 0;
  for (const container of spec.initContainers ?? []) {
    const own = amountOf(container.resources?.limits);
    if (own + sidecars === 0) return false;
    if (isSidecar(container)) sidecars += own;
  }
  return (spec.containers ?? []).every(({ resources }) => amountOf(resources?.limits) !== 0);
}
