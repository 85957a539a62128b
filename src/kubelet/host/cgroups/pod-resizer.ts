import {
  linuxContainerResources,
  linuxSandboxResources,
  withoutQuota,
} from "../../pod/linux/linux-resources.ts";
import type { ResourceSettings } from "../../pod/linux/linux-settings.ts";
import type { PodResizer } from "../../pod/pod-host.ts";
import type { PodCgroups } from "./pod-cgroups.ts";

export interface PodResizerOptions {
  readonly settings: () => ResourceSettings;
  /** Whether the CPU of a container, or of a pod with such containers, is not limited. */
  readonly hasUnlimitedCpu: (podUid: string, container?: string) => boolean;
}

/** Changes the limits of running pods in their cgroups. */
export const podResizer = (
  cgroups: PodCgroups,
  { settings, hasUnlimitedCpu }: PodResizerOptions,
): PodResizer => ({
  container(pod, container) {
    const limits = linuxContainerResources(pod, container, settings());
    const isUnlimited = hasUnlimitedCpu(pod.metadata.uid ?? "", container.name);
    return isUnlimited ? withoutQuota(limits) : limits;
  },
  sandbox(pod) {
    const limits = linuxSandboxResources(pod, settings());
    return hasUnlimitedCpu(pod.metadata.uid ?? "") && limits.containers
      ? { ...limits, containers: withoutQuota(limits.containers) }
      : limits;
  },
  wanted: (pod) => cgroups.limitsFor(pod),
  current: (pod) => cgroups.limits(pod),
  set: (pod, limits) => cgroups.update(pod, limits),
});
