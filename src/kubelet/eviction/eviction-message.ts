import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityOf,
} from "../../schema/values/quantity.ts";
import type { ContainerUsage, PodUsage } from "./pod-usage.ts";
import { type Observations, resourceOf, type StarvedResource } from "./signal.ts";
import { availableText, type Threshold, thresholdQuantity } from "./threshold.ts";

/** What an eviction says: its message, and the annotations of its event. */
export interface EvictionWords {
  readonly message: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface EvictionMessageInput {
  readonly resource: StarvedResource;
  readonly pod: Pod;
  readonly usage: PodUsage | undefined;
  /** The thresholds that are acted on. */
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
}

/** Why a pod is evicted for lack of a resource. */
export function evictionMessage(input: EvictionMessageInput): EvictionWords {
  const { resource, pod, usage } = input;
  const start = `The node was low on resource: ${resource}. ${thresholdText(input)}`;
  if (!usage) return { message: start, annotations: {} };
  const wholePod = podExcess(pod, usage, resource);
  const containers = usage.containers
    .map((container) => containerExcess(pod, container, resource))
    .filter((excess) => excess !== undefined);
  const excesses = wholePod ? [wholePod, ...containers] : containers;
  return {
    message: start + excesses.map((excess) => excessText(excess, resource)).join(""),
    annotations: {
      ...(wholePod && { offending_pod: wholePod.name, offending_pod_usage: wholePod.used }),
      offending_containers: containers.map(({ name }) => name).join(","),
      offending_containers_usage: containers.map(({ used }) => used).join(","),
      starved_resource: resource,
    },
  };
}

/** The first threshold of the resource that is met. */
function thresholdText({ resource, thresholds, observations }: EvictionMessageInput): string {
  for (const { signal, value } of thresholds) {
    const observed = observations.get(signal);
    if (resourceOf(signal) !== resource || !observed) continue;
    const quantity = formatQuantity(thresholdQuantity(value, observed.capacity));
    return `Threshold quantity: ${quantity}, available: ${availableText(signal, observed)}. `;
  }
  return "";
}

interface Excess {
  readonly what: "Container" | "Pod";
  readonly name: string;
  readonly used: string;
  readonly requested: string;
}

const excessText = ({ what, name, used, requested }: Excess, resource: StarvedResource): string =>
  `${what} ${name} was using ${used}, request is ${requested}, has larger consumption of ${resource}. `;

/** A pod that requests memory as a whole is always named. */
function podExcess(
  { metadata, spec }: Pod,
  { memoryBytes }: PodUsage,
  resource: StarvedResource,
): Excess | undefined {
  const requested = spec.resources?.requests?.memory;
  if (resource !== "memory" || requested === undefined) return undefined;
  return {
    what: "Pod",
    name: metadata.name ?? "",
    used: bytesText(memoryBytes),
    requested: `${requested}`,
  };
}

/** A container that uses more than it requests; ephemeral containers cannot request anything. */
function containerExcess(
  { spec }: Pod,
  usage: ContainerUsage,
  resource: StarvedResource,
): Excess | undefined {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const container = all.find(({ name }) => name === usage.name);
  const used = usedOf(usage, resource);
  if (!container || used === undefined) return undefined;
  const requested = `${container.resources?.requests?.[resource] ?? "0"}`;
  if (compareQuantities(quantityOf(used), parseQuantity(requested)) <= 0) return undefined;
  return { what: "Container", name: container.name, used: bytesText(used), requested };
}

function usedOf(
  { memoryBytes, root, logs }: ContainerUsage,
  resource: StarvedResource,
): number | undefined {
  if (resource === "memory") return memoryBytes;
  if (resource === "ephemeral-storage" && root && logs) return root.bytes + logs.bytes;
  return undefined;
}

const bytesText = (bytes: number): string => formatQuantity(quantityOf(bytes, "BinarySI"));
