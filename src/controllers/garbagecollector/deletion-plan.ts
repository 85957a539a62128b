import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { foregroundFinalizer, orphanFinalizer } from "./graph-node.ts";

/** The owners of an object, by their state. */
export interface ClassifiedOwners {
  /** They exist, and do not wait for their dependents. */
  readonly solid: readonly OwnerReference[];
  /** They do not exist. */
  readonly dangling: readonly OwnerReference[];
  /** They are being deleted in the foreground. */
  readonly waiting: readonly OwnerReference[];
}

/** What to do with an object that has owners. */
export type DeletionPlan =
  | { readonly type: "keep" }
  /** It is kept, and references to owners that are gone or being deleted are removed. */
  | { readonly type: "release"; readonly owners: readonly string[] }
  /** `unblock`: its references must not block its owners, because these may also be its dependents. */
  | {
      readonly type: "delete";
      readonly policy: "Orphan" | "Foreground" | "Background";
      readonly unblock: boolean;
    };

export interface OwnedObject {
  readonly owners: ClassifiedOwners;
  readonly finalizers: readonly string[];
  readonly dependents: readonly { readonly isDeletingDependents: boolean }[];
}

/** Decides: a solid owner keeps an object; without one it is deleted, in the way its owners are. */
export function deletionPlan({ owners, finalizers, dependents }: OwnedObject): DeletionPlan {
  const { solid, dangling, waiting } = owners;
  if (solid.length > 0) {
    const released = [...dangling, ...waiting].map(({ uid }) => uid);
    return released.length > 0 ? { type: "release", owners: released } : { type: "keep" };
  }
  if (waiting.length > 0 && dependents.length > 0) {
    const unblock = dependents.some(({ isDeletingDependents }) => isDeletingDependents);
    return { type: "delete", policy: "Foreground", unblock };
  }
  return { type: "delete", policy: policyOf(finalizers), unblock: false };
}

/** The deletion policy that finalizers of the object ask for. */
function policyOf(finalizers: readonly string[]): "Orphan" | "Foreground" | "Background" {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}
