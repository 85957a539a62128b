import type { Informer } from "../client/informer/informer-options.ts";
import type { Informers } from "../client/informer/informers.ts";
import {
  dynamicKind,
  type MetadataObject,
  metadataOnly,
  type ResourceKind,
} from "../client/resource-kind.ts";

/**
 * An informer for callers that read only what `slimMetadata` keeps: the informer of whole objects if one
 * runs already, and else a shared one of metadata.
 */
export function metadataInformer(
  informers: Informers,
  resource: ResourceKind,
): Informer<MetadataObject> {
  const kind = dynamicKind(resource);
  if (informers.follows(kind)) return informers.of<MetadataObject>(kind);
  return informers.of(metadataOnly(kind), { transform: slimMetadata });
}

/** An object with only the metadata that is needed. */
export function slimMetadata(object: MetadataObject): MetadataObject {
  const { apiVersion, kind, metadata } = object;
  // A frozen object is shared with the server in this process: a copy would take more memory.
  if (Object.isFrozen(metadata)) return object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const { ownerReferences, finalizers, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    // All have the same members in the same order, which takes less memory.
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
