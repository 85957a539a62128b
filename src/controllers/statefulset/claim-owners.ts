import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";

/** A claim of a replica, and those that may own it. */
export interface ClaimOwners {
  readonly references: readonly OwnerReference[];
  readonly set: StatefulSet;
  /** The name and the uid of the replica's pod; no uid while it is not created. */
  readonly pod: { readonly name: string; readonly uid: string | undefined };
  /** Whether the stateful set wants the replica. */
  readonly isWanted: boolean;
}

/** What is to be done with the owners of a claim. */
export interface ClaimOwnersPlan {
  /** The owners that the retention policy asks for; undefined if it has them. */
  readonly references: readonly OwnerReference[] | undefined;
  /** Whether another controller owns the claim, so that the policy cannot be applied. */
  readonly isConflicting: boolean;
}

/**
 * Decides on the owners of a claim by the retention policy: the stateful set, if claims go with it; the pod, if
 * claims go when a replica is no longer wanted. A claim with owners of the same name but another uid is left
 * to the garbage collector.
 */
export function planClaimOwners({ references, set, pod, isWanted }: ClaimOwners): ClaimOwnersPlan {
  const unchanged = { references: undefined, isConflicting: false };
  const setOwner = { apiVersion: "apps/v1", kind: "StatefulSet", name: set.metadata.name ?? "" };
  const podOwner = { apiVersion: "v1", kind: "Pod", name: pod.name };
  const own = [
    { ...setOwner, uid: set.metadata.uid },
    { ...podOwner, uid: pod.uid },
  ];
  const isStale = own.some((owner) => {
    const found = references.find((one) => isNamed(one, owner));
    return found !== undefined && found.uid !== owner.uid;
  });
  if (isStale) return unchanged;
  const mine = references.filter((one) => own.some(({ uid }) => uid === one.uid));
  const others = references.filter((one) => !own.some((owner) => isNamed(one, owner)));
  const { whenDeleted = "Retain", whenScaled = "Retain" } =
    set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const isRetained = whenDeleted === "Retain" && whenScaled === "Retain";
  if (!isRetained && others.some(({ controller }) => controller))
    return { references: mine.length > 0 ? others : undefined, isConflicting: true };
  const goesWithPod = whenScaled === "Delete" && !isWanted;
  const goesWithSet = whenDeleted === "Delete" && !goesWithPod;
  const wanted = [
    ...(goesWithSet ? [controllerReference(setOwner, set.metadata.uid)] : []),
    ...(goesWithPod ? [controllerReference(podOwner, pod.uid)] : []),
  ];
  const isSame =
    mine.length === wanted.length &&
    wanted.every(({ uid }) => mine.some((one) => one.uid === uid && one.controller));
  return isSame ? unchanged : { references: [...others, ...wanted], isConflicting: false };
}

/** Whether a claim belongs to a former pod of the same name, and goes with it: a new pod must wait for that. */
export const isClaimStale = (
  references: readonly OwnerReference[],
  set: StatefulSet,
  podName: string,
): boolean =>
  set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete" &&
  references.some((one) => isNamed(one, { apiVersion: "v1", kind: "Pod", name: podName }));

type Named = Pick<OwnerReference, "apiVersion" | "kind" | "name">;

const isNamed = (one: Named, other: Named): boolean =>
  one.apiVersion === other.apiVersion && one.kind === other.kind && one.name === other.name;

const controllerReference = (owner: Named, uid = ""): OwnerReference => ({
  ...owner,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});
