import { claimFinalizer } from "../../../api/resource/v1/claim-use.ts";
import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { AllocationResult } from "../../../api/resource/v1/resource-claim-status.ts";
import { keyOf } from "../../../client/resource-kind.ts";
import { withFinalizer } from "../../../controller-runtime/objects/finalizers.ts";
import { retryOnConflict } from "../../../controller-runtime/objects/retry-on-conflict.ts";
import { formatTime, timeFromMillis } from "../../../schema/values/time.ts";
import type { Handle } from "../../framework/handle.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { claimKey } from "./claim-requests.ts";

export interface Reservation {
  readonly pod: PodInfo;
  /** What the claim gets; undefined if it has it already. */
  readonly allocation: AllocationResult | undefined;
  readonly signal: AbortSignal;
}

/** Writes the allocation of a claim and its reservation for a pod; returns the claim as it is then. */
export async function reserveClaim(
  { client, clock, random }: Handle,
  claim: ResourceClaim,
  { pod, allocation, signal }: Reservation,
): Promise<ResourceClaim> {
  const key = claimKey(claim);
  let current = claim;
  let isOutdated = false;
  let step = "";
  const attempt = async (): Promise<ResourceClaim> => {
    step = `get updated claim ${key} after conflict`;
    if (isOutdated) current = await client.get(ResourceClaim, keyOf(claim), { signal });
    isOutdated = true;
    const problem =
      current.metadata.uid === claim.metadata.uid
        ? changeProblem(current, allocation)
        : "got deleted in the meantime";
    if (problem) throw new LostClaimError(`claim ${key} ${problem}`);
    if (allocation) {
      step = `add finalizer to claim ${key}`;
      const protectedClaim = withFinalizer(current, claimFinalizer);
      if (protectedClaim !== current)
        current = await client.update(ResourceClaim, protectedClaim, { signal });
    }
    step = `add ${allocation ? "allocation and reservation" : "reservation"} to claim ${key}`;
    const reserved = withReservation(current, { pod, allocation, now: clock.now() });
    return client.update(ResourceClaim, reserved, { subresource: "status", signal });
  };
  try {
    return await retryOnConflict(attempt, { clock, random, signal });
  } catch (cause) {
    if (cause instanceof LostClaimError) throw cause;
    throw new Error(`${step}: ${(cause as Error).message}`, { cause });
  }
}

/** Removes the reservation of a pod that will not be bound. */
export async function unreserveClaim(
  { client, log }: Handle,
  claim: ResourceClaim,
  { pod, signal }: { readonly pod: PodInfo; readonly signal: AbortSignal },
): Promise<void> {
  const { uid } = claim.metadata;
  const reservedFor = [{ $patch: "delete", uid: pod.uid }];
  const patch = { strategic: { metadata: { uid }, status: { reservedFor } } };
  try {
    const how = { subresource: "status", signal };
    await client.patch(ResourceClaim, keyOf(claim), patch as never, how);
  } catch (error) {
    // The claim is freed when the pod is gone.
    if (!signal.aborted) log.error("unreserving a claim failed", error, { claim: claimKey(claim) });
  }
}

/** Somebody else has changed the claim, so that the pod must be scheduled again. */
class LostClaimError extends Error {
  override readonly name = "LostClaimError";
}

function changeProblem(
  { metadata, status }: ResourceClaim,
  allocation: AllocationResult | undefined,
): string | undefined {
  if (metadata.deletionTimestamp) return "got deleted in the meantime";
  if (allocation && status?.allocation) return "got allocated elsewhere in the meantime";
  if (!allocation && !status?.allocation) return "got deallocated elsewhere in the meantime";
  return undefined;
}

function withReservation(
  claim: ResourceClaim,
  {
    pod,
    allocation,
    now,
  }: {
    readonly pod: PodInfo;
    readonly allocation: AllocationResult | undefined;
    readonly now: number;
  },
): ResourceClaim {
  const { status } = claim;
  const allocationTimestamp = formatTime(timeFromMillis(now));
  const consumer = { resource: "pods", name: pod.name, uid: pod.uid };
  return {
    ...claim,
    status: {
      ...status,
      allocation: { allocationTimestamp, ...(allocation ?? status?.allocation) },
      reservedFor: [...(status?.reservedFor ?? []), consumer],
    },
  } as ResourceClaim;
}
