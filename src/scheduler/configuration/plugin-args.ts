import { NodeAffinity } from "../../api/core/v1/scheduling/affinity.ts";
import { TopologySpreadConstraint } from "../../api/core/v1/scheduling/topology-spread.ts";
import {
  bool,
  duration,
  int32,
  int64,
  list,
  message,
  string,
  strings,
} from "../../schema/language/field.ts";
import { type Infer, type Struct, struct } from "../../schema/language/struct.ts";

const type = "io.k8s.kube-scheduler.config.v1";

const typeMeta = {
  apiVersion: string(101).doc("kubescheduler.config.k8s.io/v1"),
  kind: string(102).doc("The name of the plugin, followed by Args."),
};

export const ResourceSpec = struct(`${type}.ResourceSpec`, {
  name: string(1).always().expected().doc("The resource."),
  weight: int64(2).doc("The weight in the score. Default: 1."),
}).doc("A resource and its weight.");
export interface ResourceSpec extends Infer<typeof ResourceSpec> {}

export const UtilizationShapePoint = struct(`${type}.UtilizationShapePoint`, {
  utilization: int32(1).always().expected().doc("The usage, in percent."),
  score: int32(2).always().expected().doc("The score of that usage, from 0 to 10."),
}).doc("A point of the scoring function.");
export interface UtilizationShapePoint extends Infer<typeof UtilizationShapePoint> {}

export const ScoringStrategy = struct(`${type}.ScoringStrategy`, {
  type: string(1).doc("LeastAllocated, MostAllocated or RequestedToCapacityRatio."),
  resources: list(2, ResourceSpec).doc("The resources that are scored."),
  requestedToCapacityRatio: message(
    3,
    struct(`${type}.RequestedToCapacityRatioParam`, {
      shape: list(1, UtilizationShapePoint).doc("The points of the scoring function."),
    }).doc("A scoring function of the usage."),
  ).doc("The scoring function of RequestedToCapacityRatio."),
}).doc("How nodes are scored.");
export interface ScoringStrategy extends Infer<typeof ScoringStrategy> {}

export const DefaultPreemptionArgs = struct(`${type}.DefaultPreemptionArgs`, {
  ...typeMeta,
  minCandidateNodesPercentage: int32(1)
    .pointer()
    .doc("The minimum percentage of nodes that are tried."),
  minCandidateNodesAbsolute: int32(2).pointer().doc("The minimum number of nodes that are tried."),
}).doc("Arguments of DefaultPreemption.");
export interface DefaultPreemptionArgs extends Infer<typeof DefaultPreemptionArgs> {}

export const InterPodAffinityArgs = struct(`${type}.InterPodAffinityArgs`, {
  ...typeMeta,
  hardPodAffinityWeight: int32(1)
    .pointer()
    .doc("The weight of required affinity terms of other pods that match the pod."),
  ignorePreferredTermsOfExistingPods: bool(2).doc("Ignores preferred terms of other pods."),
}).doc("Arguments of InterPodAffinity.");
export interface InterPodAffinityArgs extends Infer<typeof InterPodAffinityArgs> {}

export const NodeResourcesFitArgs = struct(`${type}.NodeResourcesFitArgs`, {
  ...typeMeta,
  ignoredResources: strings(1).doc("Resources that are ignored."),
  ignoredResourceGroups: strings(2).doc("Resource groups, by prefix, that are ignored."),
  scoringStrategy: message(3, ScoringStrategy).doc("How nodes are scored."),
}).doc("Arguments of NodeResourcesFit.");
export interface NodeResourcesFitArgs extends Infer<typeof NodeResourcesFitArgs> {}

export const PodTopologySpreadArgs = struct(`${type}.PodTopologySpreadArgs`, {
  ...typeMeta,
  defaultConstraints: list(1, TopologySpreadConstraint).doc("Constraints of pods that have none."),
  defaultingType: string(2).doc("System, or List for the constraints given here."),
}).doc("Arguments of PodTopologySpread.");
export interface PodTopologySpreadArgs extends Infer<typeof PodTopologySpreadArgs> {}

export const BalancedAllocationArgs = struct(`${type}.NodeResourcesBalancedAllocationArgs`, {
  ...typeMeta,
  resources: list(1, ResourceSpec).doc("The resources that are scored."),
}).doc("Arguments of NodeResourcesBalancedAllocation.");
export interface BalancedAllocationArgs extends Infer<typeof BalancedAllocationArgs> {}

export const NodeAffinityArgs = struct(`${type}.NodeAffinityArgs`, {
  ...typeMeta,
  addedAffinity: message(1, NodeAffinity).doc(
    "Node affinity that is added to all pods of the profile.",
  ),
}).doc("Arguments of NodeAffinity.");
export interface NodeAffinityArgs extends Infer<typeof NodeAffinityArgs> {}

export const VolumeBindingArgs = struct(`${type}.VolumeBindingArgs`, {
  ...typeMeta,
  bindTimeoutSeconds: int64(1).pointer().doc("The timeout of binding volumes."),
  shape: list(2, UtilizationShapePoint).doc("How nodes are scored by free storage."),
}).doc("Arguments of VolumeBinding.");
export interface VolumeBindingArgs extends Infer<typeof VolumeBindingArgs> {}

export const DynamicResourcesArgs = struct(`${type}.DynamicResourcesArgs`, {
  ...typeMeta,
  filterTimeout: duration(1).doc("The timeout of finding devices for a node."),
  bindingTimeout: duration(2).doc("The timeout of binding devices."),
}).doc("Arguments of DynamicResources.");
export interface DynamicResourcesArgs extends Infer<typeof DynamicResourcesArgs> {}

/** The schemas of in-tree plugins' arguments; those of other plugins are passed on unchecked. */
export const pluginArgs: Readonly<Record<string, Struct>> = {
  DefaultPreemption: DefaultPreemptionArgs,
  DynamicResources: DynamicResourcesArgs,
  InterPodAffinity: InterPodAffinityArgs,
  NodeAffinity: NodeAffinityArgs,
  NodeResourcesBalancedAllocation: BalancedAllocationArgs,
  NodeResourcesFit: NodeResourcesFitArgs,
  PodTopologySpread: PodTopologySpreadArgs,
  VolumeBinding: VolumeBindingArgs,
};

/** Fills in the defaults of a plugin's arguments. */
export function defaultedArgs(plugin: string, args: object): unknown {
  const complete = defaults[plugin];
  return complete ? complete(args) : args;
}

const usualResources: readonly ResourceSpec[] = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

const weighed = (resources: readonly ResourceSpec[] = []): readonly ResourceSpec[] =>
  resources.length === 0
    ? usualResources
    : resources.map(({ name, weight }) => ({ name, weight: weight || 1 }));

const defaults: Readonly<Record<string, (args: object) => unknown>> = {
  DefaultPreemption: (args: DefaultPreemptionArgs) => ({
    ...args,
    minCandidateNodesPercentage: args.minCandidateNodesPercentage ?? 10,
    minCandidateNodesAbsolute: args.minCandidateNodesAbsolute ?? 100,
  }),
  InterPodAffinity: (args: InterPodAffinityArgs) => ({
    ...args,
    hardPodAffinityWeight: args.hardPodAffinityWeight ?? 1,
  }),
  NodeResourcesBalancedAllocation: (args: BalancedAllocationArgs) => ({
    ...args,
    resources: weighed(args.resources),
  }),
  NodeResourcesFit(args: NodeResourcesFitArgs) {
    const strategy = args.scoringStrategy ?? { type: "LeastAllocated" };
    return {
      ...args,
      scoringStrategy: { ...strategy, resources: weighed(strategy.resources) },
    };
  },
  PodTopologySpread: (args: PodTopologySpreadArgs) => ({
    ...args,
    defaultingType: args.defaultingType || "System",
  }),
  VolumeBinding: (args: VolumeBindingArgs) => ({
    ...args,
    bindTimeoutSeconds: args.bindTimeoutSeconds ?? 600,
  }),
  DynamicResources: (args: DynamicResourcesArgs) => ({
    ...args,
    filterTimeout: args.filterTimeout ?? "10s",
    bindingTimeout: args.bindingTimeout ?? "10m0s",
  }),
};
