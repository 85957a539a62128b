import { apiVersionOf } from "../schema/language/kind.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** Objects of a kind as of one version. */
export interface ObjectList<O> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    /** Changes after this version are all that is not in the list. */
    readonly resourceVersion: string;
    /** Where the list goes on, if it was cut. */
    readonly continue?: string;
    /** How many are left out, as far as the server knows. */
    readonly remainingItemCount?: number;
  };
  readonly items: readonly O[];
}

/** A list whose items say of which kind they are: servers leave that out. */
export function completed<O>(kind: ResourceKind<O>, list: ObjectList<O>): ObjectList<O> {
  const items = list.items ?? [];
  const [first] = items;
  if (first === undefined || (first as { kind?: string }).kind) return { ...list, items };
  const own = kind.isMetadataOnly
    ? { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" }
    : { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  return { ...list, items: items.map((item) => ({ ...own, ...item })) };
}
