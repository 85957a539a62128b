import { type KubernetesObject, keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import { controllerOf, groupOf } from "../objects/owner-references.ts";
import type {
  Controller,
  ControllerDefinition,
  ControllerSource,
  EventDelay,
  OwnedKind,
} from "./controller-definition.ts";
import { allOf, type Predicate } from "./predicates.ts";

/**
 * A controller as an object literal:
 *
 * ```ts
 * controller({
 *   name: "web",
 *   for: Deployment,
 *   owns: [ReplicaSet],
 *   watches: [{ kind: Secret, map: (secret) => [{ namespace: secret.metadata.namespace, name: "web" }] }],
 *   async reconcile(key, { cache, client }) {
 *     const deployment = await cache.get(Deployment, key);
 *     // …
 *   },
 * });
 * ```
 */
export function controller<
  O extends KubernetesObject,
  const W extends readonly KubernetesObject[] = readonly [],
>(definition: ControllerDefinition<O, W>): Controller {
  const { for: kind, owns = [], watches = [], predicates = [], delayMs, ...rest } = definition;
  if (rest.name === "") throw new TypeError("a controller needs a name");
  const own: ControllerSource = {
    kind,
    predicate: allOf(...predicates) as Predicate,
    resyncMs: rest.resyncMs,
    map: (object) => [keyOf(object)],
    delayMs: delayMs as EventDelay | undefined,
  };
  const owned = owns.map((one): ControllerSource => {
    const given: OwnedKind = isOwnedKind(one) ? one : { kind: one };
    return {
      kind: given.kind,
      predicate: allOf(...(given.predicates ?? [])),
      map: (object) => ownersOf(object, definition.for, given.anyOwner),
      delayMs: given.delayMs,
    };
  });
  const watched = (watches as readonly ControllerSource[]).map((one): ControllerSource => {
    const { predicates: chosen = [] } = one as { readonly predicates?: readonly Predicate[] };
    const { kind, map, mapKey, delayMs } = one;
    return { kind, predicate: allOf(...chosen), map, mapKey, delayMs };
  });
  return { ...rest, kind, sources: [own, ...owned, ...watched] };
}

/** In a kind, `kind` is a name. */
const isOwnedKind = (one: OwnedKind | OwnedKind["kind"]): one is OwnedKind =>
  typeof one.kind === "object";

/** The keys of an object's owners of a kind, in any version. */
function ownersOf(
  object: KubernetesObject,
  { group, kind, scope }: ControllerSource["kind"],
  anyOwner = false,
): readonly ObjectKey[] {
  const controlling = controllerOf(object);
  const references = anyOwner
    ? (object.metadata.ownerReferences ?? [])
    : controlling
      ? [controlling]
      : [];
  const { namespace } = object.metadata;
  return references
    .filter((one) => one.kind === kind && groupOf(one.apiVersion) === group)
    .map(({ name }) => (scope === "Namespaced" ? { namespace, name } : { name }));
}
