import type { KubernetesObject } from "../client/resource-kind.ts";
import { controllerOf } from "../controller-runtime/objects/owner-references.ts";

/**
 * What an owner does with an object: it is `owned` already, is to be adopted or released, or is not the
 * owner's.
 */
export type Claim = "owned" | "adopt" | "release" | "none";

/** Decides on an object: an object of another controller is left alone, and an owner that is being deleted adopts none. */
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
