import type { KubernetesObject } from "../resource-kind.ts";

/** A transform that drops `managedFields`, which are often half of an object. */
export function withoutManagedFields<O>(object: O): O {
  const { metadata } = object as KubernetesObject;
  if (metadata.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
