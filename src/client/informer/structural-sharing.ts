import type { KubernetesObject } from "../resource-kind.ts";

/**
 * A value, or its equal in a model, so that what is equal is kept once: as a whole, or in its parts. What
 * stays the value's own is frozen; what is frozen already is left as it is. Members have no order.
 */
export function sharedWith<T>(fresh: T, model: unknown): T {
  if (isEqual(fresh, model)) return model as T;
  if (typeof fresh !== "object" || fresh === null || Object.isFrozen(fresh)) return fresh;
  // Arrays have their indexes for keys.
  const own = fresh as Record<string, unknown>;
  const other = typeof model === "object" && model !== null ? (model as typeof own) : noMembers;
  // Writing a member of this name would set the prototype.
  for (const key in own) if (key !== "__proto__") own[key] = sharedWith(own[key], other[key]);
  return Object.freeze(fresh);
}

/**
 * Shares what objects of a kind have in common: with what is known of the same object, or with one that
 * has the same owner, as what makes many makes them alike.
 */
export function createSharing<O>(): (object: O, known: O | undefined) => O {
  /** Who is compared with, by what they have in common; not kept from being forgotten. */
  const models = new Map<string, WeakRef<object>>();
  let last: WeakRef<object> | undefined;
  return (object, known) => {
    // It is kept as it is: no other is equal to it as a whole.
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
    // What is inherited is no member, and only this name stands for an object that is.
    if (key === "__proto__") return false;
    if (!isEqual((a as typeof noMembers)[key], (b as typeof noMembers)[key])) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}
