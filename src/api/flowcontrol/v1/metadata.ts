import type { At } from "../../../schema/language/report.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import {
  validateFinalizerDomain,
  validateObjectMeta,
} from "../../meta/v1/object-meta-validation.ts";

/** The rules of metadata in this group: in updates the same as for new objects. */
export function validateMetadata(metadata: ObjectMeta, at: At): void {
  validateObjectMeta(metadata, at, { namespaced: false, name: nameIsDnsSubdomain });
  for (const [i, finalizer] of (metadata.finalizers ?? []).entries())
    validateFinalizerDomain(finalizer, at.child("finalizers").index(i));
}

interface WithMetadata {
  metadata: Draft<ObjectMeta>;
}

/** Through the status, nothing of the metadata is changed but who manages which field. */
export function keepMetadata(object: WithMetadata, old: WithMetadata): void {
  const { managedFields } = object.metadata;
  object.metadata = { ...old.metadata, managedFields };
}
