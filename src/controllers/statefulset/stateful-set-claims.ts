import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { isClaimStale, planClaimOwners } from "./claim-owners.ts";
import { isInRange, ordinalOf } from "./ordinals.ts";
import { claimsOf } from "./stateful-pod.ts";

/** A replica that may not exist yet. */
export interface Replica {
  readonly metadata: { readonly name?: string | undefined; readonly uid?: string | undefined };
}

/** Creates the claims of a replica that are missing, each with an event. A claim that is being deleted is an error. */
export async function createClaims(
  ctx: ReconcileContext,
  set: StatefulSet,
  replica: Replica,
): Promise<void> {
  const faults: string[] = [];
  for (const claim of claimsOf(set, ordinalOf(replica))) {
    const { name = "" } = claim.metadata;
    const found = await ctx.cache.get(PersistentVolumeClaim, keyOf(claim));
    if (found?.metadata.deletionTimestamp) faults.push(`pvc ${name} is being deleted`);
    if (found) continue;
    const fault = await createClaim(ctx, { set, replica, claim });
    if (fault !== undefined) faults.push(`failed to create PVC ${name}: ${fault}`);
  }
  if (faults.length === 0) return;
  throw new Error(faults.length === 1 ? faults[0] : `[${faults.join(", ")}]`);
}

async function createClaim(
  { client, events, signal }: ReconcileContext,
  {
    set,
    replica,
    claim,
  }: {
    readonly set: StatefulSet;
    readonly replica: Replica;
    readonly claim: PersistentVolumeClaim;
  },
): Promise<string | undefined> {
  const { name } = claim.metadata;
  const pod = replica.metadata.name;
  try {
    await client.create(PersistentVolumeClaim, claim, { signal });
  } catch (error) {
    const note = `Create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${errorMessage(error)}`;
    if (!StatusError.is(error, "AlreadyExists"))
      events.record(set, { type: "Warning", reason: "FailedCreate", note });
    return errorMessage(error);
  }
  const note = `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`;
  events.record(set, { type: "Normal", reason: "SuccessfulCreate", note });
  return undefined;
}

/** Whether the claims of a replica belong to a former pod, so that the replica cannot be created yet. */
export async function hasStaleClaims(
  { cache }: ReconcileContext,
  set: StatefulSet,
  replica: Replica,
): Promise<boolean> {
  const { name = "" } = replica.metadata;
  for (const claim of claimsOf(set, ordinalOf(replica))) {
    const found = await cache.get(PersistentVolumeClaim, keyOf(claim));
    if (found && isClaimStale(found.metadata.ownerReferences ?? [], set, name)) return true;
  }
  return false;
}

/** Gives the claims of a replica the owners of the retention policy; resolves with whether any differed. */
export async function retainClaims(
  { client, cache, events, signal }: ReconcileContext,
  set: StatefulSet,
  replica: Replica,
): Promise<boolean> {
  const ordinal = ordinalOf(replica);
  const { name = "", uid } = replica.metadata;
  let hasChanged = false;
  for (const claim of claimsOf(set, ordinal)) {
    const found = await cache.get(PersistentVolumeClaim, keyOf(claim));
    if (!found) continue;
    const { references, isConflicting } = planClaimOwners({
      references: found.metadata.ownerReferences ?? [],
      set,
      pod: { name, uid },
      isWanted: isInRange(ordinal, set),
    });
    if (!references) continue;
    if (isConflicting) {
      const note = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      events.record(set, { type: "Warning", reason: "ConflictingController", note });
    }
    hasChanged = true;
    const metadata = { ...found.metadata, ownerReferences: references };
    try {
      await client.update(PersistentVolumeClaim, { ...found, metadata }, { signal });
    } catch (error) {
      throw new Error(
        `could not update claim ${claim.metadata.name} for delete policy ownerRefs: ${errorMessage(error)}`,
        { cause: error },
      );
    }
  }
  return hasChanged;
}
