import { validateNodeSelectorTerm } from "../../api/core/v1/scheduling/node-selector-validation.ts";
import { validateLabelName } from "../../api/meta/v1/label-selector.ts";
import type { At } from "../../schema/language/report.ts";
import { parseDuration } from "../../schema/values/duration.ts";
import type {
  BalancedAllocationArgs,
  DefaultPreemptionArgs,
  DynamicResourcesArgs,
  InterPodAffinityArgs,
  NodeAffinityArgs,
  NodeResourcesFitArgs,
  PodTopologySpreadArgs,
  ResourceSpec,
  ScoringStrategy,
  UtilizationShapePoint,
  VolumeBindingArgs,
} from "./plugin-args.ts";

/** Validates the arguments of a plugin. */
export function validatePluginArgs(plugin: string, args: unknown, at: At): void {
  validations[plugin]?.(args as object, at);
}

const validations: Readonly<Record<string, (args: object, at: At) => void>> = {
  DefaultPreemption: validatePreemption,
  DynamicResources: validateDynamicResources,
  InterPodAffinity({ hardPodAffinityWeight: weight = 0 }: InterPodAffinityArgs, at) {
    if (weight < 0 || weight > 100)
      at.invalid("hardPodAffinityWeight", weight, "not in valid range [0, 100]");
  },
  NodeAffinity: validateAddedAffinity,
  NodeResourcesBalancedAllocation: validateBalancedAllocation,
  NodeResourcesFit: validateFit,
  PodTopologySpread: validateSpread,
  VolumeBinding: validateVolumeBinding,
};

function validatePreemption(args: DefaultPreemptionArgs, at: At): void {
  const { minCandidateNodesPercentage: percentage = 0, minCandidateNodesAbsolute: absolute = 0 } =
    args;
  if (percentage < 0 || percentage > 100)
    at.invalid("minCandidateNodesPercentage", percentage, "not in valid range [0, 100]");
  if (absolute < 0)
    at.invalid("minCandidateNodesAbsolute", absolute, "not in valid range [0, inf)");
  if (percentage !== 0 || absolute !== 0) return;
  const same = "cannot be zero at the same time as";
  at.invalid("minCandidateNodesPercentage", 0, `${same} minCandidateNodesAbsolute`);
  at.invalid("minCandidateNodesAbsolute", 0, `${same} minCandidateNodesPercentage`);
}

function validateDynamicResources(args: DynamicResourcesArgs, at: At): void {
  const { filterTimeout = "0s", bindingTimeout = "1s" } = args;
  if (parseDuration(filterTimeout) < 0n)
    at.invalid("filterTimeout", filterTimeout, "must be zero or positive");
  if (parseDuration(bindingTimeout) < 1_000_000_000n)
    at.invalid("bindingTimeout", bindingTimeout, "must be at least 1 second");
}

function validateAddedAffinity({ addedAffinity }: NodeAffinityArgs, at: At): void {
  const here = at.child("addedAffinity");
  const required = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const requiredAt = here.child("requiredDuringSchedulingIgnoredDuringExecution");
  const preferredAt = here.child("preferredDuringSchedulingIgnoredDuringExecution");
  for (const [i, term] of (required?.nodeSelectorTerms ?? []).entries())
    validateNodeSelectorTerm(term, requiredAt.child("nodeSelectorTerms").index(i));
  for (const [i, { preference }] of preferred.entries())
    validateNodeSelectorTerm(preference, preferredAt.index(i));
}

function validateBalancedAllocation({ resources = [] }: BalancedAllocationArgs, at: At): void {
  const seen = new Set<string>();
  for (const [i, { name, weight = 0 }] of resources.entries()) {
    const here = at.child("resources").index(i);
    if (seen.has(name)) here.duplicate("name", name);
    seen.add(name);
    if (weight !== 1) here.invalid("weight", weight, "must be 1");
  }
}

function validateFit(args: NodeResourcesFitArgs, at: At): void {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy } = args;
  for (const [i, name] of ignoredResources.entries())
    validateLabelName(name, at.child("ignoredResources").index(i));
  for (const [i, group] of ignoredResourceGroups.entries()) {
    const here = at.child("ignoredResourceGroups").index(i);
    if (group.includes("/")) here.invalid("", group, "resource group name can't contain '/'");
    validateLabelName(group, here);
  }
  if (scoringStrategy) validateStrategy(scoringStrategy, at.child("scoringStrategy"));
  else at.required("scoringStrategy", "ScoringStrategy field is required");
}

const ratio = "RequestedToCapacityRatio";
const strategies = ["LeastAllocated", "MostAllocated", ratio];

function validateStrategy(strategy: ScoringStrategy, at: At): void {
  const { type = "", resources = [], requestedToCapacityRatio: curve } = strategy;
  if (!strategies.includes(type)) at.notSupported("type", type, strategies);
  validateResources(resources, at.child("resources"));
  if (type !== ratio) {
    if (curve) at.forbidden("requestedToCapacityRatio", `must be nil when type is not ${ratio}`);
  } else if (!curve) {
    at.required("requestedToCapacityRatio", `must be specified when type is ${ratio}`);
  } else {
    validateShape(curve.shape, at.child("requestedToCapacityRatio").child("shape"));
  }
}

function validateResources(resources: readonly ResourceSpec[], at: At): void {
  for (const [i, { name, weight = 0 }] of resources.entries())
    if (weight <= 0 || weight > 100)
      at.index(i).invalid(
        "weight",
        weight,
        `resource weight of ${name} not in valid range (0, 100]`,
      );
}

function validateShape(shape: readonly UtilizationShapePoint[] = [], at: At): void {
  if (shape.length === 0) {
    at.required("", "at least one point must be specified");
    return;
  }
  const unsorted = shape.findIndex(
    ({ utilization }, i) => i > 0 && (shape[i - 1]?.utilization ?? 0) >= utilization,
  );
  if (unsorted > 0)
    at.index(unsorted).invalid(
      "utilization",
      shape[unsorted]?.utilization,
      "values must be sorted in increasing order",
    );
  for (const [i, { utilization, score }] of shape.entries()) {
    if (utilization < 0 || utilization > 100)
      at.index(i).invalid("utilization", utilization, "not in valid range [0, 100]");
    if (score < 0 || score > 10) at.index(i).invalid("score", score, "not in valid range [0, 10]");
  }
}

const spreadActions = ["DoNotSchedule", "ScheduleAnyway"];

function validateSpread(args: PodTopologySpreadArgs, at: At): void {
  const { defaultingType = "", defaultConstraints = [] } = args;
  if (defaultingType !== "System" && defaultingType !== "List")
    at.notSupported("defaultingType", defaultingType, ["System", "List"]);
  else if (defaultingType === "System" && defaultConstraints.length > 0)
    at.invalid("defaultingType", defaultingType, "when .defaultConstraints are not empty");
  for (const [i, constraint] of defaultConstraints.entries()) {
    const here = at.child("defaultConstraints").index(i);
    const { maxSkew, topologyKey, whenUnsatisfiable: action } = constraint;
    if (maxSkew <= 0) here.invalid("maxSkew", maxSkew, "not in valid range (0, inf)");
    if (topologyKey === "") here.required("topologyKey", "can not be empty");
    else validateLabelName(topologyKey, here.child("topologyKey"));
    if (action === "") here.required("whenUnsatisfiable", "can not be empty");
    else if (!spreadActions.includes(action))
      here.notSupported("whenUnsatisfiable", action, spreadActions);
    if (constraint.labelSelector)
      here.forbidden(
        "labelSelector",
        "constraint must not define a selector, as they deduced for each pod",
      );
    const isRepeated = defaultConstraints
      .slice(0, i)
      .some((one) => one.topologyKey === topologyKey && one.whenUnsatisfiable === action);
    if (isRepeated) here.duplicate("", `{${topologyKey}, ${action}}`);
  }
}

function validateVolumeBinding({ bindTimeoutSeconds = 0, shape }: VolumeBindingArgs, at: At): void {
  if (bindTimeoutSeconds < 0)
    at.invalid(
      "bindTimeoutSeconds",
      bindTimeoutSeconds,
      "invalid BindTimeoutSeconds, should not be a negative value",
    );
  if (shape)
    at.invalid(
      "shape",
      shape,
      "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring",
    );
}
