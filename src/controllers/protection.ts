import type { KubernetesObject, ResourceKind } from "../client/resource-kind.ts";
import {
  hasFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "../controller-runtime/objects/finalizers.ts";
import type { ReconcileContext } from "../controller-runtime/reconcile/controller-definition.ts";

/** What the finalizer that protects an object needs: to be added, or to be removed once the object is unused. */
export type ProtectionStep = "add" | "remove if unused";

/** The next step of an object's protection; undefined while there is none. */
export function protectionStep(
  object: KubernetesObject,
  finalizer: string,
): ProtectionStep | undefined {
  const isProtected = hasFinalizer(object, finalizer);
  if (object.metadata.deletionTimestamp) return isProtected ? "remove if unused" : undefined;
  // Admission adds the finalizer to new objects: this one was created without it.
  return isProtected ? undefined : "add";
}

export interface Protection<O extends KubernetesObject> {
  readonly kind: ResourceKind<O>;
  readonly finalizer: string;
  isUsed(object: O): boolean | Promise<boolean>;
}

/** Takes the next step of an object's protection. */
export async function protect<O extends KubernetesObject>(
  object: O,
  { kind, finalizer, isUsed }: Protection<O>,
  { client, signal, log }: ReconcileContext,
): Promise<void> {
  const step = protectionStep(object, finalizer);
  if (!step) return;
  if (step === "remove if unused" && (await isUsed(object))) {
    log.debug("the object is still in use");
    return;
  }
  const change = step === "add" ? withFinalizer : withoutFinalizer;
  // An update, not a patch: the roles allow no other, and it fails if the object has changed.
  await client.update(kind, change(object, finalizer), { signal });
}
