import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { claimsOfPod, isClaimForPod } from "../../../api/core/v1/pod/pod-claims.ts";
import { bindCompleted } from "../../../api/core/v1/volume/binding-annotations.ts";
import { classOfClaim } from "../../../api/core/v1/volume/match-volume.ts";
import type { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import type { ObjectKey } from "../../../client/resource-kind.ts";
import { quote } from "../../../schema/values/quote.ts";

/** The claims of a pod by what is to be done with them. */
export interface SortedClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** The scheduler chooses a node first. */
  readonly delayed: readonly PersistentVolumeClaim[];
  /** The volume controller binds them before the pod is scheduled. */
  readonly hasImmediate: boolean;
}

/** Returns the claims of a pod, or why they cannot be used. */
export function usableClaims(
  pod: Pod,
  claim: (key: ObjectKey) => PersistentVolumeClaim | undefined,
): readonly PersistentVolumeClaim[] | string {
  const found: PersistentVolumeClaim[] = [];
  const { namespace, name: podName } = pod.metadata;
  for (const { name, isEphemeral } of claimsOfPod(pod)) {
    const one = claim({ namespace, name });
    if (!one)
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quote(name)}`
        : `persistentvolumeclaim ${quote(name)} not found`;
    if (one.status.phase === "Lost")
      return `persistentvolumeclaim ${quote(name)} bound to non-existent persistentvolume ${quote(one.spec.volumeName ?? "")}`;
    if (one.metadata.deletionTimestamp)
      return `persistentvolumeclaim ${quote(name)} is being deleted`;
    if (isEphemeral && !isClaimForPod(one, pod))
      return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
    found.push(one);
  }
  return found;
}

/** Sorts claims by how they are bound. */
export function sortClaims(
  claims: readonly PersistentVolumeClaim[],
  storageClass: (name: string) => StorageClass | undefined,
): SortedClaims {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  for (const claim of claims)
    if (isFullyBound(claim)) bound.push(claim);
    else if (isDelayed(claim, storageClass)) delayed.push(claim);
  return { bound, delayed, hasImmediate: bound.length + delayed.length < claims.length };
}

export const isFullyBound = ({ spec, metadata }: PersistentVolumeClaim): boolean =>
  Boolean(spec.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;

const isDelayed = (
  claim: PersistentVolumeClaim,
  storageClass: (name: string) => StorageClass | undefined,
): boolean =>
  !claim.spec.volumeName &&
  storageClass(classOfClaim(claim))?.volumeBindingMode === "WaitForFirstConsumer";
