import type { PluginSet, Plugins, Profile } from "./configuration/scheduler-configuration.ts";
import type { Registry } from "./framework/registry.ts";
import { defaultBinder } from "./plugins/default-binder.ts";
import { defaultPreemption } from "./plugins/default-preemption/default-preemption.ts";
import { dynamicResources } from "./plugins/dynamic-resources.ts";
import { imageLocality } from "./plugins/image-locality.ts";
import { interPodAffinity } from "./plugins/inter-pod-affinity/inter-pod-affinity.ts";
import { nodeAffinity } from "./plugins/node-affinity.ts";
import { nodeDeclaredFeatures } from "./plugins/node-declared-features.ts";
import { nodeName } from "./plugins/node-name.ts";
import { nodePorts } from "./plugins/node-ports.ts";
import { balancedAllocation } from "./plugins/node-resources/balanced-allocation.ts";
import { nodeResourcesFit } from "./plugins/node-resources/fit.ts";
import { nodeUnschedulable } from "./plugins/node-unschedulable.ts";
import { podTopologySpread } from "./plugins/pod-topology-spread/pod-topology-spread.ts";
import { prioritySort } from "./plugins/priority-sort.ts";
import { schedulingGates } from "./plugins/scheduling-gates.ts";
import { taintToleration } from "./plugins/taint-toleration.ts";
import { volumeBinding } from "./plugins/volume-binding/volume-binding.ts";

/** The in-tree plugins by name. */
export const inTreePlugins: Registry = {
  DefaultBinder: defaultBinder,
  DefaultPreemption: defaultPreemption,
  DynamicResources: dynamicResources,
  ImageLocality: imageLocality,
  InterPodAffinity: interPodAffinity,
  NodeAffinity: nodeAffinity,
  NodeDeclaredFeatures: nodeDeclaredFeatures,
  NodeName: nodeName,
  NodePorts: nodePorts,
  NodeResourcesBalancedAllocation: balancedAllocation,
  NodeResourcesFit: nodeResourcesFit,
  NodeUnschedulable: nodeUnschedulable,
  PodTopologySpread: podTopologySpread,
  PrioritySort: prioritySort,
  SchedulingGates: schedulingGates,
  TaintToleration: taintToleration,
  VolumeBinding: volumeBinding,
};

/** Upstream's plugins that are not implemented yet: profiles run without them. */
const missingPlugins = ["NodeVolumeLimits", "VolumeRestrictions", "VolumeZone"];

/** Removes the plugins that are not implemented yet from a profile. */
export function withoutMissingPlugins(profile: Profile, registry: Registry): Profile {
  const isThere = ({ name }: { readonly name: string }): boolean =>
    Object.hasOwn(registry, name) || !missingPlugins.includes(name);
  const plugins = Object.fromEntries(
    Object.entries((profile.plugins ?? {}) as Record<string, PluginSet | undefined>).map(
      ([point, set]) => [
        point,
        set?.enabled ? { ...set, enabled: set.enabled.filter(isThere) } : set,
      ],
    ),
  ) as Plugins;
  return { ...profile, plugins };
}
