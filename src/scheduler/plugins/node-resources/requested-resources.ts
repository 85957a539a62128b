import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ResourceSpec } from "../../configuration/plugin-args.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { defaultRequests, type PodInfo } from "../../framework/pod-info.ts";
import { podAmounts } from "../../framework/pod-resources.ts";
import { isScalarResource, wholeOf } from "../../framework/resource.ts";
import type { DeviceAmounts } from "../dynamic-resources/device-amounts.ts";

/** How a score plugin counts requests. */
export interface CountingOptions {
  readonly resources: readonly ResourceSpec[];
  /** Counts exact requests, without defaults, and includes pod-level requests. */
  readonly isExact: boolean;
}

/** Returns a pod's request of each resource. */
function requestsOf(
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

/** What a score plugin knows of a pod. */
export interface Asked extends Pick<CountingOptions, "isExact"> {
  /** The pod's request of each resource. */
  readonly amounts: readonly number[];
  /** Counts devices; undefined if none stand for any of the resources. */
  readonly devices: DeviceAmounts | undefined;
}

export const nothingAsked: Asked = { amounts: [], isExact: true, devices: undefined };

/** What a node has of a resource: where no device plugin offers it, the devices that stand for it. */
export function capacityOf(info: NodeInfo, name: string, { devices }: Asked): number {
  const capacity = info.allocatable.of(name);
  return capacity === 0 && devices && info.node ? devices.of(name, info.node).total : capacity;
}

/** How much of that is used. */
export function usedOf(info: NodeInfo, name: string, { devices, isExact }: Asked): number {
  if (!isExact && name === "cpu") return info.nonZeroMilliCpu;
  if (!isExact && name === "memory") return info.nonZeroMemory;
  return devices && info.node && info.allocatable.of(name) === 0
    ? devices.of(name, info.node).taken
    : info.requested.of(name);
}

/** Begins to count devices for a pod, if they stand for a resource that it requests. */
export function askedOf(
  pod: PodInfo,
  options: CountingOptions & { readonly devices: DeviceAmounts },
): Asked {
  const { resources, devices } = options;
  const amounts = requestsOf(pod, options);
  const scalars = resources
    .map(({ name }) => name)
    .filter((name, i) => amounts[i] !== 0 && isScalarResource(name));
  const isOfDevices = scalars.length > 0 && devices.begin(scalars);
  return { amounts, isExact: options.isExact, devices: isOfDevices ? devices : undefined };
}

/** Whether a scalar resource does not affect a pod that does not request it. */
export const isIrrelevant = (name: string, asked: number): boolean =>
  asked === 0 && isScalarResource(name);
