import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { foregroundFinalizer, orphanFinalizer } from "./graph-node.ts";

/** The owners of an object, by how they are. */
export interface ClassifiedOwners {
  /** They are there, and do not wait for their dependents to go. */
  readonly solid: readonly OwnerReference[];
  /** They are not there. */
  readonly dangling: readonly OwnerReference[];
  /** They are deleted in the foreground. */
  readonly waiting: readonly OwnerReference[];
}

/** What becomes of an object that has owners. */
export type DeletionPlan =
  | { readonly type: "keep" }
  /** It is kept, and refers no longer to owners that are gone or about to go. */
  | { readonly type: "release"; readonly owners: readonly string[] }
  /** `unblock`: its references must not block its owners, because they may be its dependents, too. */
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

/** Decides: one solid owner keeps an object, and without any it goes as its owners go. */
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

/** What whoever deleted it, or prepared that, has asked for. */
function policyOf(finalizers: readonly string[]): "Orphan" | "Foreground" | "Background" {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}
