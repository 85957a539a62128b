import { apiVersionOf } from "../schema/language/kind.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** The objects of a kind as of one resourceVersion. */
export interface ObjectList<O> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    /** A watch from this version sends all changes that are not in the list. */
    readonly resourceVersion: string;
    /** The token of the next page; missing on the last one. */
    readonly continue?: string;
    /** The number of objects on the following pages, if the server knows it. */
    readonly remainingItemCount?: number;
  };
  readonly items: readonly O[];
}

/** Adds apiVersion and kind to the items of a list: servers leave them out. */
export function withItemKinds<O>(kind: ResourceKind<O>, list: ObjectList<O>): ObjectList<O> {
  const items = list.items ?? [];
  const [first] = items;
  if (first === undefined || (first as { kind?: string }).kind) return { ...list, items };
  const own = kind.isMetadataOnly
    ? { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" }
    : { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  return { ...list, items: items.map((item) => ({ ...own, ...item })) };
}
