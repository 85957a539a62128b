import type { Draft } from "../../../schema/language/struct.ts";
import type { ObjectMeta } from "./object-meta.ts";

/** Who writes a status writes nothing of the metadata: it is taken from the object as it was. */
export function resetMetadataForStatus(metadata: Draft<ObjectMeta>, old: Draft<ObjectMeta>): void {
  for (const field of kept) {
    if (old[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: old[field] });
  }
}

const kept = [
  "deletionTimestamp",
  "generation",
  "selfLink",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const;
