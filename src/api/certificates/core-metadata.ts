import type { At } from "../../schema/language/report.ts";
import type { ObjectMeta } from "../meta/v1/object-meta.ts";
import {
  type NameRule,
  validateFinalizerDomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/v1/object-meta-validation.ts";

/** The rules of metadata and of the domains of finalizers, for kinds that choose their place. */
export function validateCoreMetadata(
  metadata: ObjectMeta,
  at: At,
  options: { readonly namespaced: boolean; readonly name: NameRule },
): void {
  validateObjectMeta(metadata, at, options);
  validateFinalizers(metadata, at);
}

/** The same for what may change of them. */
export function validateCoreMetadataUpdate(metadata: ObjectMeta, old: ObjectMeta, at: At): void {
  validateObjectMetaUpdate(metadata, old, at);
  validateFinalizers(metadata, at);
}

function validateFinalizers({ finalizers = [] }: ObjectMeta, at: At): void {
  for (const [i, finalizer] of finalizers.entries())
    validateFinalizerDomain(finalizer, at.child("finalizers").index(i));
}
