import { parseQuantity, type Quantity } from "../../../../schema/values/quantity.ts";
import { compareUtf8 } from "../../../../schema/values/utf8-order.ts";
import type { Pod } from "../pod/pod.ts";
import { effectiveLimits, effectiveRequests } from "../pod/pod-effective-resources.ts";
import { podQosClass } from "../pod/pod-qos.ts";
import { timeOf } from "../pod/pod-state.ts";
import type { ResourceList } from "../resource-list.ts";
import {
  isExtendedResource,
  isHugePageResource,
  isNativeResource,
  isPodLevelResource,
} from "../resource-name.ts";
import type { PodAffinityTerm } from "../scheduling/affinity.ts";
import { type Amounts, one } from "./amounts.ts";
import type { QuotaEvaluator } from "./evaluator.ts";
import { isNameInScope, type ScopeRequirement } from "./scopes.ts";

const counted = "count/pods";
const computed = ["cpu", "memory", "ephemeral-storage"];
const names: ReadonlySet<string> = new Set([
  counted,
  "pods",
  ...computed.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** What every container must set where it is limited. Upstream regrets it, and keeps to it. */
const mandatory: ReadonlySet<string> = new Set(
  ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);
/** What the devices of a class are called as an extended resource. */
export const deviceClassPrefix = "deviceclass.resource.kubernetes.io/";

/** What pods use: all of them count, but only those that have not ended take anything else. */
export function podQuota(now: () => number): QuotaEvaluator<Pod> {
  return {
    group: "",
    plural: "pods",
    tracks: (name) =>
      names.has(name) ||
      isHugePageResource(name) ||
      name.startsWith("requests.hugepages-") ||
      isExtendedRequest(name),
    charges: ({ operation, subresource, object, old }) =>
      subresource === "resize"
        ? operation === "UPDATE"
        : subresource === "" &&
          (operation === "CREATE" ||
            (old !== undefined && hasDeadline(old) !== hasDeadline(object))),
    usage: (pod) => (hasEnded(pod, now()) ? leftOver : usageWhileAlive(pod)),
    isInScope: isPodInScope,
    lacks: unsetResources,
    endsAt: (pod) => (isTerminal(pod) ? undefined : endOfGrace(pod)),
  };
}

/** `requests.example.com/gpu`, and `requests.` before the devices of a class. */
export const isExtendedRequest = (name: string): boolean =>
  name.startsWith("requests.") &&
  (!isNativeResource(name) || name.startsWith(`requests.${deviceClassPrefix}`));

const leftOver: Amounts = new Map([[counted, one]]);

/** Pods never change; what one uses is reckoned once. */
const known = new WeakMap<Pod, Amounts>();

function usageWhileAlive(pod: Pod): Amounts {
  let usage = known.get(pod);
  if (!usage) {
    usage = new Map([
      [counted, one],
      ...computeUsage(effectiveRequests(pod), effectiveLimits(pod)),
    ]);
    known.set(pod, usage);
  }
  return usage;
}

function computeUsage(requests: ResourceList, limits: ResourceList): Amounts {
  const usage = new Map<string, Quantity>([["pods", one]]);
  for (const [name, amount] of Object.entries(requests)) {
    const quantity = parseQuantity(amount);
    const isKnown = computed.includes(name) || isHugePageResource(name);
    if (isKnown) usage.set(name, quantity);
    if (isKnown || isExtendedResource(name) || name.startsWith(deviceClassPrefix))
      usage.set(`requests.${name}`, quantity);
  }
  for (const [name, amount] of Object.entries(limits))
    if (computed.includes(name)) usage.set(`limits.${name}`, parseQuantity(amount));
  return usage;
}

function unsetResources({ spec }: Pod, required: readonly string[]): string | undefined {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  if ([...Object.keys(requests), ...Object.keys(limits)].some(isPodLevelResource)) return undefined;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(
    ({ name, resources }) => ({
      name,
      sets: computeUsage(resources?.requests ?? {}, resources?.limits ?? {}),
    }),
  );
  const missing = [...required]
    .filter((resource) => mandatory.has(resource))
    .sort(compareUtf8)
    .flatMap((resource) => {
      const without = containers.filter(({ sets }) => !sets.has(resource)).map(({ name }) => name);
      const listed = [...new Set(without)].sort(compareUtf8).join(",");
      return without.length > 0 ? [`${resource} for: ${listed}`] : [];
    });
  return missing.length > 0 ? `must specify ${missing.join("; ")}` : undefined;
}

function isPodInScope(pod: Pod, requirement: ScopeRequirement): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return podQosClass(pod) === "BestEffort";
    case "NotBestEffort":
      return podQosClass(pod) !== "BestEffort";
    case "PriorityClass":
      return isNameInScope(requirement, pod.spec.priorityClassName);
    case "CrossNamespacePodAffinity":
      return looksElsewhere(pod);
    default:
      return false;
  }
}

const hasDeadline = ({ spec }: Pod): boolean => (spec.activeDeadlineSeconds ?? -1) >= 0;

/** Whether its affinity is about pods of other namespaces. */
function looksElsewhere({ spec: { affinity } }: Pod): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((rules) => {
    const terms: readonly PodAffinityTerm[] = [
      ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        ({ podAffinityTerm }) => podAffinityTerm,
      ),
    ];
    return terms.some(
      ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector,
    );
  });
}

const isTerminal = ({ status }: Pod): boolean =>
  status.phase === "Failed" || status.phase === "Succeeded";

/** One that should be gone by now, on a node that is lost, is not held against anybody. */
function hasEnded(pod: Pod, now: number): boolean {
  const end = endOfGrace(pod);
  return isTerminal(pod) || (end !== undefined && now > end);
}

function endOfGrace({ metadata }: Pod): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const deleted = timeOf(deletionTimestamp);
  if (deleted === undefined || deletionGracePeriodSeconds === undefined) return undefined;
  return deleted + deletionGracePeriodSeconds * 1000;
}
