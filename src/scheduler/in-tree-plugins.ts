import type { Registry } from "./framework/registry.ts";
import { defaultBinder } from "./plugins/default-binder.ts";
import { defaultPreemption } from "./plugins/default-preemption/default-preemption.ts";
import { dynamicResources } from "./plugins/dynamic-resources/dynamic-resources.ts";
import { gangScheduling } from "./plugins/gang-scheduling.ts";
import { imageLocality } from "./plugins/image-locality.ts";
import { interPodAffinity } from "./plugins/inter-pod-affinity/inter-pod-affinity.ts";
import { nodeAffinity } from "./plugins/node-affinity.ts";
import { nodeDeclaredFeatures } from "./plugins/node-declared-features.ts";
import { nodeName } from "./plugins/node-name.ts";
import { nodePorts } from "./plugins/node-ports.ts";
import { balancedAllocation } from "./plugins/node-resources/balanced-allocation.ts";
import { nodeResourcesFit } from "./plugins/node-resources/fit.ts";
import { nodeUnschedulable } from "./plugins/node-unschedulable.ts";
import { nodeVolumeLimits } from "./plugins/node-volume-limits/node-volume-limits.ts";
import { podTopologySpread } from "./plugins/pod-topology-spread/pod-topology-spread.ts";
import { prioritySort } from "./plugins/priority-sort.ts";
import { schedulingGates } from "./plugins/scheduling-gates.ts";
import { taintToleration } from "./plugins/taint-toleration.ts";
import { volumeBinding } from "./plugins/volume-binding/volume-binding.ts";
import { volumeRestrictions } from "./plugins/volume-restrictions/volume-restrictions.ts";
import { volumeZone } from "./plugins/volume-zone.ts";

/** The in-tree plugins by name. */
export const inTreePlugins: Registry = {
  DefaultBinder: defaultBinder,
  DefaultPreemption: defaultPreemption,
  DynamicResources: dynamicResources,
  GangScheduling: gangScheduling,
  ImageLocality: imageLocality,
  InterPodAffinity: interPodAffinity,
  NodeAffinity: nodeAffinity,
  NodeDeclaredFeatures: nodeDeclaredFeatures,
  NodeName: nodeName,
  NodePorts: nodePorts,
  NodeResourcesBalancedAllocation: balancedAllocation,
  NodeResourcesFit: nodeResourcesFit,
  NodeUnschedulable: nodeUnschedulable,
  NodeVolumeLimits: nodeVolumeLimits,
  PodTopologySpread: podTopologySpread,
  PrioritySort: prioritySort,
  SchedulingGates: schedulingGates,
  TaintToleration: taintToleration,
  VolumeBinding: volumeBinding,
  VolumeRestrictions: volumeRestrictions,
  VolumeZone: volumeZone,
};
