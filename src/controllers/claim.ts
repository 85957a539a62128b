import type { KubernetesObject } from "../client/resource-kind.ts";
import { controllerOf } from "../controller-runtime/objects/owner-references.ts";

/**
 * What becomes of an object that an owner's selector may mean: it is `owned` already, it is to be
 * adopted or released, or it is none of the owner's.
 */
export type Claim = "owned" | "adopt" | "release" | "none";

/** Decides on an object: nobody takes what another controls, and who is being deleted takes nothing. */
export function claimOf(
  object: KubernetesObject,
  owner: KubernetesObject,
  matches: boolean,
): Claim {
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  const controller = controllerOf(object);
  if (controller) {
    if (controller.uid !== owner.metadata.uid) return "none";
    if (matches) return "owned";
    return isGoing ? "none" : "release";
  }
  const isFree = matches && !object.metadata.deletionTimestamp;
  const isHere = object.metadata.namespace === owner.metadata.namespace;
  return isFree && isHere && !isGoing ? "adopt" : "none";
}
