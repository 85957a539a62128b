import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { Registry } from "../objects/registry.ts";

/** The objects of a kind in a namespace, or in all of the cluster, in the order of their names. */
export async function objectsOf(
  { cache }: Registry,
  kind: AnyKind,
  namespace = "",
): Promise<readonly ApiObject[]> {
  // One that lags behind is all that upstream looks at, too.
  await cache.fresh();
  const { prefix } = cache.of(kind);
  const within = namespace === "" ? prefix : `${prefix}${namespace}/`;
  return Array.from(cache.of(kind).list(within), (stored) => stored.as(kind).object);
}
