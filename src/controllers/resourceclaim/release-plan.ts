import { claimFinalizer } from "../../api/resource/v1/claim-use.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { hasFinalizer } from "../../controller-runtime/objects/finalizers.ts";

type Status = NonNullable<ResourceClaim["status"]>;
export type Consumer = NonNullable<Status["reservedFor"]>[number];

export interface ReleasePlan {
  /** The status to write; undefined if it stays. */
  readonly status: Status | undefined;
  /** Whether the finalizer is removed once the status is written. */
  readonly removesFinalizer: boolean;
  readonly isUnused: boolean;
}

/** Decides what becomes of a claim whose reservations are as few as these: without any, it is deallocated. */
export function releasePlan(claim: ResourceClaim, remaining: readonly Consumer[]): ReleasePlan {
  const { metadata, status = {} } = claim;
  const { allocation, ...withoutAllocation } = status;
  const isUnused = remaining.length === 0;
  const isProtected = hasFinalizer(claim, claimFinalizer);
  if (remaining.length < (status.reservedFor?.length ?? 0)) {
    const rest: Status = isUnused && isProtected ? withoutAllocation : status;
    return {
      status: { ...rest, reservedFor: remaining },
      removesFinalizer: isProtected && !rest.allocation,
      isUnused,
    };
  }
  const isGoing = isProtected && metadata.deletionTimestamp !== undefined && isUnused;
  return {
    status: isGoing && allocation ? withoutAllocation : undefined,
    removesFinalizer: isGoing,
    isUnused,
  };
}
