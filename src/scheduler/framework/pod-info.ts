import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { type AffinityTerms, affinityTerms } from "./affinity-term.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { hasPodLevelRequests, podAmounts } from "./pod-resources.ts";
import { type MilliAmounts, type Resource, resourceFrom, wholeOf } from "./resource.ts";

/** A pod with derived data that plugins need often. It is immutable; an updated pod gets a new one. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** `NAMESPACE/NAME`. */
  readonly key: string;
  readonly priority: number;
  /** The resource requests of the pod. */
  readonly requests: Resource;
  /** The requests with small defaults for containers without any, so that such pods are spread, too. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  readonly terms: AffinityTerms;
  readonly hostPorts: readonly HostPort[];
  /** The volume claims of the pod, as `NAMESPACE/NAME`. */
  readonly claims: readonly string[];
  /** Equal for pods with the same namespace and labels; empty for a terminating pod. */
  readonly similarityKey: string;
}

/** Derives the data of a pod. */
export function podInfo(pod: Pod): PodInfo {
  const { uid = "", namespace = "", name = "" } = pod.metadata;
  const amounts = podAmounts(pod, { withStatus: true });
  const nonZero = nonZeroAmounts(pod, amounts);
  return {
    pod,
    uid,
    namespace,
    name,
    key: `${namespace}/${name}`,
    priority: pod.spec.priority ?? 0,
    requests: resourceFrom(amounts),
    nonZeroMilliCpu: nonZero.get("cpu") ?? 0,
    nonZeroMemory: wholeOf(nonZero.get("memory") ?? 0),
    terms: affinityTerms(pod),
    hostPorts: hostPortsOf(pod),
    claims: claimsOf(pod, namespace),
    similarityKey: similarityKeyOf(pod),
  };
}

/** Returns the same pod with a node name; derived data is reused. */
export function assignedTo(node: string, info: PodInfo): PodInfo {
  return { ...info, pod: { ...info.pod, spec: { ...info.pod.spec, nodeName: node } } };
}

/** The assumed requests of a container without any: a tenth of a CPU, 200 MB. */
export const defaultRequests: MilliAmounts = new Map([
  ["cpu", 100],
  ["memory", 200 * 1024 * 1024 * 1000],
]);

function nonZeroAmounts(pod: Pod, amounts: MilliAmounts): MilliAmounts {
  const missing = hasPodLevelRequests(pod)
    ? new Map([...defaultRequests].filter(([name]) => !amounts.has(name)))
    : defaultRequests;
  return missing.size === 0 ? amounts : podAmounts(pod, { withStatus: true, missing });
}

/** Names and labels cannot contain the separators. */
function similarityKeyOf({ metadata }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return "";
  let text = metadata.namespace ?? "";
  const { labels } = metadata;
  for (const name in labels) text += `\n${name}=${labels[name]}`;
  return text;
}

function claimsOf({ spec }: Pod, namespace: string): readonly string[] {
  const claims: string[] = [];
  for (const { persistentVolumeClaim } of spec.volumes ?? [])
    if (persistentVolumeClaim) claims.push(`${namespace}/${persistentVolumeClaim.claimName}`);
  return claims.length === 0 ? noClaims : claims;
}

const noClaims: readonly string[] = [];
