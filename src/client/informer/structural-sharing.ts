import type { KubernetesObject } from "../resource-kind.ts";

/**
 * Returns `fresh` with all parts that are equal in `model` replaced by the model's, so that equal values
 * are stored once. New parts are frozen; values that are already frozen are returned unchanged. The
 * order of members does not matter.
 */
export function sharedWith<T>(fresh: T, model: unknown): T {
  if (isEqual(fresh, model)) return model as T;
  if (typeof fresh !== "object" || fresh === null || Object.isFrozen(fresh)) return fresh;
  // The keys of an array are its indexes.
  const own = fresh as Record<string, unknown>;
  const other = typeof model === "object" && model !== null ? (model as typeof own) : noMembers;
  // Assigning to `__proto__` would set the prototype.
  for (const key in own) if (key !== "__proto__") own[key] = sharedWith(own[key], other[key]);
  return Object.freeze(fresh);
}

/**
 * Shares equal parts between the objects of a kind: with the previous version of an object, or with an
 * object of the same owner, because a controller creates similar objects.
 */
export function createSharing<O>(): (object: O, known: O | undefined) => O {
  /** The latest object of each owner; weak, so that deleted objects can be collected. */
  const models = new Map<string, WeakRef<object>>();
  let last: WeakRef<object> | undefined;
  return (object, known) => {
    // A frozen new object is kept as it is: it has no equal in the cache.
    if (known === undefined && Object.isFrozen(object)) return object;
    const group = groupOf(object as KubernetesObject);
    const model = known ?? models.get(group)?.deref();
    const kept = sharedWith(object, model ?? last?.deref());
    if (model === undefined) {
      last = new WeakRef(kept as object);
      models.set(group, last);
      if (models.size > mostModels) models.delete(models.keys().next().value ?? "");
    }
    return kept;
  };
}

const noMembers: Record<string, unknown> = {};
const mostModels = 1000;

function groupOf({ metadata }: KubernetesObject): string {
  const { ownerReferences, generateName, namespace = "" } = metadata;
  return ownerReferences?.[0]?.uid ?? generateName ?? namespace;
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (!Array.isArray(a)) return !Array.isArray(b) && hasEqualMembers(a, b);
  if (!Array.isArray(b) || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isEqual(a[i], b[i])) return false;
  return true;
}

function hasEqualMembers(a: object, b: object): boolean {
  let count = 0;
  for (const key in a) {
    // Inherited properties are not members, and `__proto__` is the only inherited name with an object
    // value.
    if (key === "__proto__") return false;
    if (!isEqual((a as typeof noMembers)[key], (b as typeof noMembers)[key])) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}
