import { formatKeyOf, type KubernetesObject } from "../resource-kind.ts";
import { compareVersions } from "../resource-version.ts";
import type { Delta } from "./delta-queue.ts";
import type { InformerCache } from "./informer-cache.ts";

/** A change of an object in a watch event. */
export interface ObjectEvent<O> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: O;
}

/**
 * Applies a watch event to the cache and returns the deltas for handlers. For each key these are added,
 * updated and deleted in a valid order, whatever the server sends: known versions are ignored, and an
 * object with a new uid ends the previous object. `version` is the cache's resourceVersion.
 */
export function applyEvent<O>(
  cache: InformerCache<O>,
  { type, object }: ObjectEvent<O>,
  version: string,
): readonly Delta<O>[] {
  const { metadata } = object as KubernetesObject;
  const text = formatKeyOf(object);
  const known = cache.getByText(text);
  const { resourceVersion = "" } = metadata;
  if (known === undefined) {
    // An older object that is not in the cache was deleted since: this event is a repetition.
    const isRepeated = (compareVersions(resourceVersion, version) ?? 1) < 0;
    if (type === "DELETED" || isRepeated) return [];
    cache.set(object);
    return [{ type: "added", object }];
  }
  const order = compareVersions(resourceVersion, versionOf(known)) ?? 1;
  if (type === "DELETED") {
    if (order < 0) return [];
    cache.delete(text);
    const isIt = isSame(object, known);
    return [{ type: "deleted", object: isIt ? object : known, isStale: !isIt }];
  }
  return order <= 0 ? [] : replaced(cache, object, known);
}

/**
 * Replaces the content of the cache with a list, given by key, and returns the deltas for handlers. The
 * list wins even if it has an older version of an object: then the server was restored from a backup.
 */
export function applyList<O>(
  cache: InformerCache<O>,
  objects: ReadonlyMap<string, O>,
): readonly Delta<O>[] {
  const deltas: Delta<O>[] = [];
  for (const text of [...cache.keys()]) {
    if (objects.has(text)) continue;
    deltas.push({ type: "deleted", object: cache.getByText(text) as O, isStale: true });
    cache.delete(text);
  }
  for (const [text, object] of objects) {
    const known = cache.getByText(text);
    if (known === undefined) {
      cache.set(object);
      deltas.push({ type: "added", object });
    } else if (versionOf(object) !== versionOf(known) || !isSame(object, known))
      deltas.push(...replaced(cache, object, known));
  }
  return deltas;
}

function replaced<O>(cache: InformerCache<O>, object: O, known: O): readonly Delta<O>[] {
  if (isSame(object, known)) {
    cache.set(object);
    return [{ type: "updated", object, old: known }];
  }
  cache.delete(formatKeyOf(known));
  cache.set(object);
  return [
    { type: "deleted", object: known, isStale: true },
    { type: "added", object },
  ];
}

const metadataOf = (object: unknown): KubernetesObject["metadata"] =>
  (object as KubernetesObject).metadata;
const versionOf = (object: unknown): string => metadataOf(object).resourceVersion ?? "";
/** Whether both are states of one object, not of two objects with the same name. */
const isSame = (a: unknown, b: unknown): boolean => metadataOf(a).uid === metadataOf(b).uid;
