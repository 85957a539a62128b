import type { PluginRef, Plugins } from "./scheduler-configuration.ts";

/** The default plugins of a profile, in upstream's order and with its weights. */
export const defaultPlugins = (features: ReadonlySet<string>): Plugins => ({
  multiPoint: {
    enabled: [
      plugin("SchedulingGates"),
      plugin("PrioritySort"),
      plugin("NodeUnschedulable"),
      plugin("NodeName"),
      plugin("TaintToleration", 3),
      plugin("NodeAffinity", 2),
      plugin("NodePorts"),
      plugin("NodeResourcesFit", 1),
      plugin("VolumeRestrictions"),
      plugin("NodeVolumeLimits"),
      plugin("VolumeBinding"),
      plugin("VolumeZone"),
      plugin("PodTopologySpread", 2),
      plugin("InterPodAffinity", 2),
      // Before preemption: releasing an unused claim is better than evicting a pod.
      plugin("DynamicResources", 2),
      plugin("DefaultPreemption"),
      plugin("NodeResourcesBalancedAllocation", 1),
      plugin("ImageLocality", 1),
      plugin("DefaultBinder"),
      plugin("NodeDeclaredFeatures"),
      ...(features.has("GangScheduling") ? [plugin("GangScheduling")] : []),
    ],
  },
});

function plugin(name: string, weight?: number): PluginRef {
  return weight === undefined ? { name } : { name, weight };
}
