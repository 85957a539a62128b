import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { compareGvk, gvkText, kindsFirst, kindsLast, ranksOf, sameGvk } from "./gvk.ts";
import type { ResId } from "./res-id.ts";
import type { ResMap } from "./res-map.ts";

/** The order of a result, and the kinds that come first and last in it. */
export interface SortOrder {
  readonly order: string;
  readonly legacySortOptions?:
    | { readonly orderFirst: readonly string[]; readonly orderLast: readonly string[] }
    | undefined;
}

/** Sorts resources by kind and name, unless the order is that in which they were found. */
export function sortResources(map: ResMap, { order, legacySortOptions }: SortOrder): void {
  if (order !== "fifo" && order !== "legacy") {
    throw new KustomizeError("the field 'sortOptions.order' must be one of [fifo, legacy]");
  }
  if (order === "fifo") {
    if (legacySortOptions === undefined) return;
    throw new KustomizeError(
      "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
    );
  }
  const { orderFirst, orderLast } = legacySortOptions ?? defaultOrder;
  const ranks = ranksOf(orderFirst, orderLast);
  const sorted = map.resources.map((resource) => ({ resource, id: resource.id }));
  sorted.sort((a, b) =>
    sameGvk(a.id, b.id)
      ? compareUtf8(sortText(a.id), sortText(b.id))
      : compareGvk(a.id, b.id, ranks),
  );
  map.reset(sorted.map(({ resource }) => resource));
}

const defaultOrder = { orderFirst: kindsFirst, orderLast: kindsLast };

const sortText = (id: ResId): string => `${gvkText(id)}|${id.namespace || "~X"}|${id.name || "~N"}`;
