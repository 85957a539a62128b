import type { CacheReader } from "../../../client/informer/informer-options.ts";
import {
  formatKey,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
} from "../../../client/resource-kind.ts";

/**
 * Objects as they will be once the writes of scheduled pods are in the cache. An assumption holds as long as
 * the cache shows the version that it was made of; any other version is newer, and counts instead.
 */
export class AssumedObjects<O extends KubernetesObject> {
  readonly #cache: CacheReader<O>;
  readonly #assumed = new Map<string, Assumption<O>>();

  constructor(cache: CacheReader<O>) {
    this.#cache = cache;
  }

  get(key: ObjectKey): O | undefined {
    return this.current(this.#cache.get(key));
  }

  /** The object as it is assumed to be. */
  current<T extends O | undefined>(cached: T): T {
    if (!cached || this.#assumed.size === 0) return cached;
    const text = formatKey(keyOf(cached));
    const found = this.#assumed.get(text);
    if (!found) return cached;
    if (found.version === cached.metadata.resourceVersion) return found.object as T;
    this.#assumed.delete(text);
    return cached;
  }

  /** Assumes a change of an object; returns false if the cache shows another version than it was made of. */
  assume(object: O): boolean {
    const key = keyOf(object);
    const version = object.metadata.resourceVersion ?? "";
    if (this.#cache.get(key)?.metadata.resourceVersion !== version) return false;
    this.#assumed.set(formatKey(key), { version, object });
    return true;
  }

  /** Takes an assumption back. */
  forget(object: O): void {
    const text = formatKey(keyOf(object));
    if (this.#assumed.get(text)?.object === object) this.#assumed.delete(text);
  }
}

interface Assumption<O> {
  /** The version of which the assumed object was made. */
  readonly version: string;
  readonly object: O;
}
