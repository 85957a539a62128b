import type { Stored } from "../objects/stored.ts";
import type { CacheEvent, ResourceCache } from "./watch-cache.ts";

/** An index of the objects of a resource, beside the cache. */
export interface CacheIndex {
  add(stored: Stored): void;
  remove(stored: Stored): void;
}

/**
 * Updates an index with the changes of a cache until the returned function is called. An object that
 * becomes unreadable stays in the index as it was, until it is written again or deleted.
 */
export function followCache(cache: ResourceCache | undefined, index: CacheIndex): () => void {
  if (!cache) return () => {};
  for (const stored of cache.readable(cache.prefix)) index.add(stored);
  let next = cache.endOfEvents;
  /** The indexed versions of objects that are unreadable now. */
  const kept = new Map<string, Stored>();
  const apply = ({ type, object, previous }: CacheEvent): void => {
    const { key } = object;
    const before = kept.get(key) ?? (previous?.isReadable ? previous : undefined);
    if (type !== "DELETED" && !object.isReadable) {
      if (before) kept.set(key, before);
      return;
    }
    kept.delete(key);
    if (before) index.remove(before);
    if (type !== "DELETED") index.add(object);
  };
  const watcher = {
    changed() {
      for (; next < cache.endOfEvents; next++) {
        const event = cache.eventAt(next);
        if (event) apply(event);
      }
    },
    end() {},
  };
  cache.watchers.add(watcher);
  return () => cache.watchers.delete(watcher);
}
