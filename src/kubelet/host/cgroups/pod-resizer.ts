import { linuxContainerResources, linuxSandboxResources } from "../../pod/linux/linux-resources.ts";
import type { ResourceSettings } from "../../pod/linux/linux-settings.ts";
import type { PodResizer } from "../../pod/pod-host.ts";
import type { PodCgroups } from "./pod-cgroups.ts";

/** Changes the limits of running pods in their cgroups. */
export const podResizer = (cgroups: PodCgroups, settings: () => ResourceSettings): PodResizer => ({
  container: (pod, container) => linuxContainerResources(pod, container, settings()),
  sandbox: (pod) => linuxSandboxResources(pod, settings()),
  wanted: (pod) => cgroups.limitsFor(pod),
  current: (pod) => cgroups.limits(pod),
  set: (pod, limits) => cgroups.update(pod, limits),
});
