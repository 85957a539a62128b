import type { Informer } from "../client/informer/informer-options.ts";
import type { Informers } from "../client/informer/informers.ts";
import {
  dynamicKind,
  type MetadataObject,
  metadataOnly,
  type ResourceKind,
} from "../client/resource-kind.ts";

/**
 * The informer for who reads nothing of a kind's objects but what `slimMetadata` keeps: that of the whole
 * objects where somebody follows them already, and one for all who ask otherwise.
 */
export function metadataInformer(
  informers: Informers,
  resource: ResourceKind,
): Informer<MetadataObject> {
  const kind = dynamicKind(resource);
  if (informers.follows(kind)) return informers.of<MetadataObject>(kind);
  return informers.of(metadataOnly(kind), { transform: slimMetadata });
}

/** What of an object is kept. */
export function slimMetadata(object: MetadataObject): MetadataObject {
  const { apiVersion, kind, metadata } = object;
  // It is what a server in this process has itself: a copy would be one more.
  if (Object.isFrozen(metadata)) return object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const { ownerReferences, finalizers, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    // All have the same members, so that they are small.
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ownerReferences,
      finalizers,
      deletionTimestamp,
    },
  };
}
