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
  kind: string(102).doc("The name of the plugin, and Args."),
};

export const ResourceSpec = struct(`${type}.ResourceSpec`, {
  name: string(1).always().expected().doc("The resource."),
  weight: int64(2).doc("How much it counts; 1 if not given."),
}).doc("A resource that counts.");
export interface ResourceSpec extends Infer<typeof ResourceSpec> {}

export const UtilizationShapePoint = struct(`${type}.UtilizationShapePoint`, {
  utilization: int32(1).always().expected().doc("How much is used, in percent."),
  score: int32(2).always().expected().doc("How good that is, from 0 to 10."),
}).doc("A point of a curve.");
export interface UtilizationShapePoint extends Infer<typeof UtilizationShapePoint> {}

export const ScoringStrategy = struct(`${type}.ScoringStrategy`, {
  type: string(1).doc("LeastAllocated, MostAllocated or RequestedToCapacityRatio."),
  resources: list(2, ResourceSpec).doc("The resources that count."),
  requestedToCapacityRatio: message(
    3,
    struct(`${type}.RequestedToCapacityRatioParam`, {
      shape: list(1, UtilizationShapePoint).doc("How good which use is."),
    }).doc("How good which use is."),
  ).doc("The curve, for that strategy."),
}).doc("Which nodes are preferred.");
export interface ScoringStrategy extends Infer<typeof ScoringStrategy> {}

export const DefaultPreemptionArgs = struct(`${type}.DefaultPreemptionArgs`, {
  ...typeMeta,
  minCandidateNodesPercentage: int32(1).pointer().doc("How many nodes are tried, in percent."),
  minCandidateNodesAbsolute: int32(2).pointer().doc("How many are tried at least."),
}).doc("How room is made for a pod.");
export interface DefaultPreemptionArgs extends Infer<typeof DefaultPreemptionArgs> {}

export const InterPodAffinityArgs = struct(`${type}.InterPodAffinityArgs`, {
  ...typeMeta,
  hardPodAffinityWeight: int32(1)
    .pointer()
    .doc("How much it counts to be near to a pod that requires to be near to this one."),
  ignorePreferredTermsOfExistingPods: bool(2).doc("Whether what other pods prefer does not count."),
}).doc("How pods are placed near to others.");
export interface InterPodAffinityArgs extends Infer<typeof InterPodAffinityArgs> {}

export const NodeResourcesFitArgs = struct(`${type}.NodeResourcesFitArgs`, {
  ...typeMeta,
  ignoredResources: strings(1).doc("Resources that do not count."),
  ignoredResourceGroups: strings(2).doc("Prefixes of resources that do not count."),
  scoringStrategy: message(3, ScoringStrategy).doc("Which nodes are preferred."),
}).doc("Whether a node has what a pod asks for.");
export interface NodeResourcesFitArgs extends Infer<typeof NodeResourcesFitArgs> {}

export const PodTopologySpreadArgs = struct(`${type}.PodTopologySpreadArgs`, {
  ...typeMeta,
  defaultConstraints: list(1, TopologySpreadConstraint).doc("For pods that have none."),
  defaultingType: string(2).doc("System, or List for those given here."),
}).doc("How pods are spread.");
export interface PodTopologySpreadArgs extends Infer<typeof PodTopologySpreadArgs> {}

export const BalancedAllocationArgs = struct(`${type}.NodeResourcesBalancedAllocationArgs`, {
  ...typeMeta,
  resources: list(1, ResourceSpec).doc("The resources that count."),
}).doc("How evenly the resources of a node are used.");
export interface BalancedAllocationArgs extends Infer<typeof BalancedAllocationArgs> {}

export const NodeAffinityArgs = struct(`${type}.NodeAffinityArgs`, {
  ...typeMeta,
  addedAffinity: message(1, NodeAffinity).doc("What all pods of the profile require or prefer."),
}).doc("Which nodes pods require or prefer.");
export interface NodeAffinityArgs extends Infer<typeof NodeAffinityArgs> {}

export const VolumeBindingArgs = struct(`${type}.VolumeBindingArgs`, {
  ...typeMeta,
  bindTimeoutSeconds: int64(1).pointer().doc("How long volumes may take to be bound."),
  shape: list(2, UtilizationShapePoint).doc("Which nodes are preferred, by free storage."),
}).doc("How volumes are bound.");
export interface VolumeBindingArgs extends Infer<typeof VolumeBindingArgs> {}

export const DynamicResourcesArgs = struct(`${type}.DynamicResourcesArgs`, {
  ...typeMeta,
  filterTimeout: duration(1).doc("How long devices are looked for on a node."),
  bindingTimeout: duration(2).doc("How long devices may take to be bound."),
}).doc("How devices are given to pods.");
export interface DynamicResourcesArgs extends Infer<typeof DynamicResourcesArgs> {}

/** What plugins of our own may be told, by their names; others are told what is there. */
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

/** What a plugin is told, with what it takes where nothing is said. */
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
