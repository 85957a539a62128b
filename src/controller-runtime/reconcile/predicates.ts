import type { KubernetesObject } from "../../client/resource-kind.ts";

/** What became of an object that a controller follows. */
export type ObjectEvent<O> =
  /** `isInitial`: it was there before anybody looked. */
  | { readonly type: "added"; readonly object: O; readonly isInitial: boolean }
  /** At a resync, `object` and `old` are the same. */
  | { readonly type: "updated"; readonly object: O; readonly old: O }
  /** `isStale`: the deletion itself was not seen. */
  | { readonly type: "deleted"; readonly object: O; readonly isStale: boolean };

/** Says which events are worth a reconcile. */
export type Predicate<O = KubernetesObject> = (event: ObjectEvent<O>) => boolean;

/** Leaves out updates that do not change what is desired: most kinds count only changes of `spec`. */
export const generationChanged: Predicate = updates(
  (object, old) => object.metadata.generation !== old.metadata.generation,
);

/** Leaves out updates in which the labels stay. */
export const labelsChanged: Predicate = updates(
  (object, old) => !sameEntries(object.metadata.labels, old.metadata.labels),
);

/** Leaves out updates in which the annotations stay. */
export const annotationsChanged: Predicate = updates(
  (object, old) => !sameEntries(object.metadata.annotations, old.metadata.annotations),
);

/** Leaves out updates that change nothing: resyncs. */
export const resourceVersionChanged: Predicate = updates(
  (object, old) => object.metadata.resourceVersion !== old.metadata.resourceVersion,
);

/** Takes events of objects in these namespaces only. */
export function inNamespaces(...namespaces: readonly string[]): Predicate {
  const taken = new Set(namespaces);
  return ({ object }) => taken.has(object.metadata.namespace ?? "");
}

/** Takes events of objects, as they are after an update, for which `choose` says so. */
export function objectsWhere<O = KubernetesObject>(choose: (object: O) => boolean): Predicate<O> {
  return ({ object }) => choose(object);
}

/** Takes what all of them take. */
export function allOf<O = KubernetesObject>(...predicates: readonly Predicate<O>[]): Predicate<O> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Takes what one of them takes. */
export function anyOf<O = KubernetesObject>(...predicates: readonly Predicate<O>[]): Predicate<O> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Takes what the other does not. */
export function not<O = KubernetesObject>(predicate: Predicate<O>): Predicate<O> {
  return (event) => !predicate(event);
}

/** A predicate of updates that takes all else. */
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
