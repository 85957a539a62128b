import type { Snapshots } from "../snapshots/snapshots.ts";
import type { ContentLeases } from "./content-leases.ts";
import type { ContentStore } from "./content-store.ts";
import type { ImageStore } from "./image-store.ts";

export interface GarbageCollection {
  readonly content: ContentStore;
  readonly store: ImageStore;
  readonly snapshots: Snapshots;
  readonly leases: ContentLeases;
}

export interface CollectedGarbage {
  readonly blobs: number;
  readonly layers: number;
  /** The bytes of blobs and layers on disk. */
  readonly bytes: number;
}

export interface CollectOptions {
  /** Keeps blobs that were written since, in milliseconds since the epoch: a pull may still continue. */
  readonly before?: number | undefined;
  /** Only these blobs and layers; by default all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/**
 * Removes blobs and layers that no image needs. What work in progress holds stays, and so do layers that
 * snapshots of containers use.
 */
export async function collectGarbage(
  { content, store, snapshots, leases }: GarbageCollection,
  { before = Number.POSITIVE_INFINITY, only }: CollectOptions = {},
): Promise<CollectedGarbage> {
  const counts = { blobs: 0, layers: 0, bytes: 0 };
  for (const { digest, size, writtenAt } of await content.list()) {
    if ((only && !only.has(digest)) || writtenAt >= before) continue;
    if (store.neededBlobs().has(digest)) continue;
    if (!(await leases.remove(digest, () => content.remove(digest)))) continue;
    counts.blobs++;
    counts.bytes += size;
  }
  for (const diffId of await snapshots.listLayers()) {
    if (only && !only.has(diffId)) continue;
    if (store.list().some(({ layers }) => layers.includes(diffId))) continue;
    const { bytes } = await snapshots.layerUsage(diffId);
    if (!(await leases.remove(diffId, () => snapshots.removeLayer(diffId)).catch(refused)))
      continue;
    counts.layers++;
    counts.bytes += bytes;
  }
  return counts;
}

/** A layer that a snapshot uses stays. */
function refused(error: unknown): false {
  if (/is used by snapshot/.test((error as Error).message)) return false;
  throw error;
}
