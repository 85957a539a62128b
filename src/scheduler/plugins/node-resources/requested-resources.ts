import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ResourceSpec } from "../../configuration/plugin-args.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { defaultRequests, type PodInfo } from "../../framework/pod-info.ts";
import { podAmounts } from "../../framework/pod-resources.ts";
import { isScalarResource, wholeOf } from "../../framework/resource.ts";

/** How a score plugin counts requests. */
export interface CountingOptions {
  readonly resources: readonly ResourceSpec[];
  /** Counts exact requests, without defaults, and includes pod-level requests. */
  readonly isExact: boolean;
}

/** Returns a pod's request of each resource. */
export function requestsOf(
  { pod, requests, nonZeroMilliCpu, nonZeroMemory }: PodInfo,
  { resources, isExact }: CountingOptions,
): readonly number[] {
  const hasPodLevel = pod.spec.resources?.requests !== undefined;
  const amounts = !isExact && hasPodLevel ? withoutPodLevel(pod) : undefined;
  return resources.map(({ name }) => {
    if (amounts) {
      const milli = amounts.get(name) ?? 0;
      return name === "cpu" ? milli : wholeOf(milli);
    }
    if (!isExact && name === "cpu") return nonZeroMilliCpu;
    if (!isExact && name === "memory") return nonZeroMemory;
    return requests.of(name);
  });
}

/** Upstream ignores pod-level requests in the scores by allocation. */
const withoutPodLevel = (pod: Pod) =>
  podAmounts(pod, { missing: defaultRequests, skipPodLevel: true });

/** Returns the requested amount of a resource on a node. */
export function usedOf(node: NodeInfo, name: string, isExact: boolean): number {
  if (!isExact && name === "cpu") return node.nonZeroMilliCpu;
  if (!isExact && name === "memory") return node.nonZeroMemory;
  return node.requested.of(name);
}

/** Whether a scalar resource does not affect a pod that does not request it. */
export const isIrrelevant = (name: string, asked: number): boolean =>
  asked === 0 && isScalarResource(name);
