import type { ResourceCache } from "./cache.ts";
import type { Stored } from "./stored.ts";

/** What is kept of the objects of a resource beside the cache. */
export interface CacheIndex {
  add(stored: Stored): void;
  remove(stored: Stored): void;
}

/** Keeps an index as a cache has it, from now on; the result ends it. */
export function followCache(cache: ResourceCache | undefined, index: CacheIndex): () => void {
  if (!cache) return () => {};
  for (const stored of cache.list(cache.prefix)) index.add(stored);
  let next = cache.endOfEvents;
  const watcher = {
    changed() {
      for (; next < cache.endOfEvents; next++) {
        const { type, object, previous } = cache.eventAt(next) ?? {};
        if (previous) index.remove(previous);
        if (object && type !== "DELETED") index.add(object);
      }
    },
    end() {},
  };
  cache.watchers.add(watcher);
  return () => cache.watchers.delete(watcher);
}
