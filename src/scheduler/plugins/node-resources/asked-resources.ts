import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ResourceSpec } from "../../configuration/plugin-args.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { type PodInfo, usualRequests } from "../../framework/pod-info.ts";
import { podAmounts } from "../../framework/pod-resources.ts";
import { isScalarResource, wholeOf } from "../../framework/resource.ts";

/** How a scorer counts. */
export interface CountingOptions {
  readonly resources: readonly ResourceSpec[];
  /** Whether pods that ask for nothing count for nothing, and what a pod says as a whole counts. */
  readonly isExact: boolean;
}

/** What a pod asks for of each of the resources. */
export function askedOf(
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

/** Upstream leaves out what a pod says as a whole where it prefers nodes by what is used of them. */
const withoutPodLevel = (pod: Pod) =>
  podAmounts(pod, { missing: usualRequests, skipPodLevel: true });

/** How much of a resource is used on a node. */
export function usedOf(node: NodeInfo, name: string, isExact: boolean): number {
  if (!isExact && name === "cpu") return node.nonZeroMilliCpu;
  if (!isExact && name === "memory") return node.nonZeroMemory;
  return node.requested.of(name);
}

/** Whether a resource makes no difference for a pod that does not ask for it. */
export const isBesideThePoint = (name: string, asked: number): boolean =>
  asked === 0 && isScalarResource(name);
