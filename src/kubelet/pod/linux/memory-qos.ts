import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podRequests } from "../../../api/core/v1/pod/pod-requests.ts";
import { bytesOf } from "../resource-amounts.ts";
import { qosClassOf } from "./pod-cgroup.ts";

/** How memory is protected and throttled: the feature MemoryQoS, which needs version 2 of cgroups. */
export interface MemoryQos {
  /** Whether the kernel keeps the memory that pods request; it may take that of burstable pods if it must. */
  readonly isTiered: boolean;
  /** The part of the memory between request and limit after which a container is slowed down. */
  readonly throttlingFactor: number;
  /** The memory of all pods, which is the limit of containers that have none. */
  readonly allocatableBytes: number;
}

type Files = Readonly<Record<string, string>>;

/** The files of the cgroup of a container. */
export function containerMemoryQos(
  pod: Pod,
  { resources }: Container | EphemeralContainer,
  { isTiered, throttlingFactor, allocatableBytes }: MemoryQos,
): Files {
  const request = bytesOf(resources?.requests, "memory");
  const limit = bytesOf(resources?.limits, "memory");
  const protection =
    isTiered && request !== 0
      ? { [protectionOf(pod)]: String(request) }
      : { "memory.min": "0", "memory.low": "0" };
  const most = limit || allocatableBytes;
  if (request === limit || most <= 0) return protection;
  const high = Math.floor((request + (most - request) * throttlingFactor) / pageBytes) * pageBytes;
  return high > request ? { ...protection, "memory.high": String(high) } : protection;
}

/** The files of the cgroup of a pod; undefined if nothing of it is protected. */
export function podMemoryQos(pod: Pod, qos: MemoryQos | undefined): Files | undefined {
  const request = bytesOf(podRequests(pod.spec), "memory");
  if (!qos?.isTiered || request === 0 || qosClassOf(pod) === "BestEffort") return undefined;
  return { [protectionOf(pod)]: String(request) };
}

/** The memory that the pods of two classes request. */
export function requestedMemory(pods: Iterable<Pod>): RequestedMemory {
  const sums = { Guaranteed: 0, Burstable: 0, BestEffort: 0 };
  for (const pod of pods) sums[qosClassOf(pod)] += bytesOf(podRequests(pod.spec), "memory");
  return { guaranteed: sums.Guaranteed, burstable: sums.Burstable };
}

export interface RequestedMemory {
  readonly guaranteed: number;
  readonly burstable: number;
}

/** The files of the cgroups of classes. What is above must protect as much as what is below. */
export function classMemoryQos(
  { guaranteed, burstable }: RequestedMemory,
  { isTiered }: MemoryQos,
): { readonly Guaranteed: Files; readonly Burstable: Files } {
  const bytes = (sum: number): string => String(isTiered ? sum : 0);
  return {
    Guaranteed: { "memory.min": bytes(guaranteed + burstable) },
    Burstable: { "memory.low": bytes(burstable) },
  };
}

/** The limits of classes that leave a part of their requests to better classes. */
export function reservedLimits(
  { guaranteed, burstable }: RequestedMemory,
  { percent, allocatableBytes }: QosReserve,
): { readonly Burstable: number; readonly BestEffort: number } {
  const part = (sum: number): number => Math.trunc((sum * percent) / 100);
  const forBurstable = allocatableBytes - part(guaranteed);
  return { Burstable: forBurstable, BestEffort: forBurstable - part(burstable) };
}

/** How much of the memory that pods request is kept from pods of lower classes. */
export interface QosReserve {
  readonly percent: number;
  readonly allocatableBytes: number;
}

const protectionOf = (pod: Pod): string =>
  qosClassOf(pod) === "Guaranteed" ? "memory.min" : "memory.low";

const pageBytes = 4096;
