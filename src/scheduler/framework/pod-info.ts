import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { type AffinityTerms, affinityTerms } from "./affinity-term.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { hasPodLevelRequests, podAmounts } from "./pod-resources.ts";
import { type MilliAmounts, type Resource, resourceFrom, wholeOf } from "./resource.ts";

/** A pod, and what plugins ask of it again and again. It is never changed; another version is another. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** `NAMESPACE/NAME`. */
  readonly key: string;
  readonly priority: number;
  /** What it asks for. */
  readonly requests: Resource;
  /** The same, where a container that asks for nothing counts for a little, so that such are spread. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  readonly terms: AffinityTerms;
  readonly hostPorts: readonly HostPort[];
  /** The claims of volumes that it names, as `NAMESPACE/NAME`. */
  readonly claims: readonly string[];
  /** The same for pods with the same namespace and labels; empty for one that is about to go. */
  readonly likeness: string;
}

/** What is known of a pod. */
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
    likeness: likenessOf(pod),
  };
}

/** The same pod on a node: what is known of it stays as it is. */
export function assignedTo(node: string, info: PodInfo): PodInfo {
  return { ...info, pod: { ...info.pod, spec: { ...info.pod.spec, nodeName: node } } };
}

/** What a container that says nothing is taken to ask for: a tenth of a processor, 200 MB. */
export const usualRequests: MilliAmounts = new Map([
  ["cpu", 100],
  ["memory", 200 * 1024 * 1024 * 1000],
]);

function nonZeroAmounts(pod: Pod, amounts: MilliAmounts): MilliAmounts {
  const missing = hasPodLevelRequests(pod)
    ? new Map([...usualRequests].filter(([name]) => !amounts.has(name)))
    : usualRequests;
  return missing.size === 0 ? amounts : podAmounts(pod, { withStatus: true, missing });
}

/** Neither names nor labels hold what stands between them. */
function likenessOf({ metadata }: Pod): string {
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
