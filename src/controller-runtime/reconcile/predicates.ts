import type { KubernetesObject } from "../../client/resource-kind.ts";

/** A change of an object that a controller watches. */
export type ObjectEvent<O> =
  /** `isInitial`: it existed before the watch began. */
  | { readonly type: "added"; readonly object: O; readonly isInitial: boolean }
  /** At a resync, `object` and `old` are the same. */
  | { readonly type: "updated"; readonly object: O; readonly old: O }
  /** `isStale`: the deletion itself was not seen. */
  | { readonly type: "deleted"; readonly object: O; readonly isStale: boolean };

/** Decides which events enqueue keys. */
export type Predicate<O = KubernetesObject> = (event: ObjectEvent<O>) => boolean;

/** Skips updates that do not change the generation: most kinds count changes of `spec` only. */
export const generationChanged: Predicate = updates(
  (object, old) => object.metadata.generation !== old.metadata.generation,
);

/** Skips updates that do not change labels. */
export const labelsChanged: Predicate = updates(
  (object, old) => !sameEntries(object.metadata.labels, old.metadata.labels),
);

/** Skips updates that do not change annotations. */
export const annotationsChanged: Predicate = updates(
  (object, old) => !sameEntries(object.metadata.annotations, old.metadata.annotations),
);

/** Skips updates that change nothing: resyncs. */
export const resourceVersionChanged: Predicate = updates(
  (object, old) => object.metadata.resourceVersion !== old.metadata.resourceVersion,
);

/** Accepts only events of objects in these namespaces. */
export function inNamespaces(...namespaces: readonly string[]): Predicate {
  const taken = new Set(namespaces);
  return ({ object }) => taken.has(object.metadata.namespace ?? "");
}

/** Accepts events of objects for which `choose` returns true; of an update, the new object counts. */
export function objectsWhere<O = KubernetesObject>(choose: (object: O) => boolean): Predicate<O> {
  return ({ object }) => choose(object);
}

/** Accepts events that all of them accept. */
export function allOf<O = KubernetesObject>(...predicates: readonly Predicate<O>[]): Predicate<O> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Accepts events that one of them accepts. */
export function anyOf<O = KubernetesObject>(...predicates: readonly Predicate<O>[]): Predicate<O> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Accepts events that the other does not. */
export function not<O = KubernetesObject>(predicate: Predicate<O>): Predicate<O> {
  return (event) => !predicate(event);
}

/** A predicate for updates; it accepts all other events. */
function updates(choose: (object: KubernetesObject, old: KubernetesObject) => boolean): Predicate {
  return (event) => event.type !== "updated" || choose(event.object, event.old);
}

type Entries = Readonly<Record<string, string>> | undefined;

function sameEntries(a: Entries = {}, b: Entries = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
  );
}
