import type { KubernetesObject } from "./resource-kind.ts";

/**
 * Makes an object take from a model what is equal in both, so that it is kept once, and freezes the rest.
 * The object becomes whatever stays its own; one that is frozen already is left as it is.
 */
export function sharedWith<T>(fresh: T, model: unknown): T {
  if (fresh === model) return model as T;
  if (typeof fresh !== "object" || fresh === null || Object.isFrozen(fresh)) return fresh;
  if (Array.isArray(fresh)) return sharedArray(fresh, Array.isArray(model) ? model : []) as T;
  const isRecord = typeof model === "object" && model !== null && !Array.isArray(model);
  return sharedRecord(fresh as Fields, isRecord ? (model as Fields) : noFields) as T;
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

type Fields = Record<string, unknown>;

const noFields: Fields = {};
const mostModels = 1000;

function groupOf({ metadata }: KubernetesObject): string {
  const { ownerReferences, generateName, namespace = "" } = metadata;
  return ownerReferences?.[0]?.uid ?? generateName ?? namespace;
}

function sharedArray(fresh: unknown[], model: readonly unknown[]): readonly unknown[] {
  let isEqual = fresh.length === model.length;
  for (let i = 0; i < fresh.length; i++) {
    const kept = sharedWith(fresh[i], model[i]);
    fresh[i] = kept;
    if (kept !== model[i]) isEqual = false;
  }
  return isEqual ? model : Object.freeze(fresh);
}

function sharedRecord(fresh: Fields, model: Fields): Fields {
  const keys = Object.keys(fresh);
  const modelKeys = Object.keys(model);
  let isEqual = keys.length === modelKeys.length;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const own = modelKeys[i] === key || Object.hasOwn(model, key) ? model[key] : undefined;
    const kept = sharedWith(fresh[key], own);
    // What is equal in another order is something else to whoever writes it down.
    if (kept !== own || modelKeys[i] !== key) isEqual = false;
    // A member of this name would become the prototype.
    if (key !== "__proto__") fresh[key] = kept;
  }
  return isEqual ? model : Object.freeze(fresh);
}
