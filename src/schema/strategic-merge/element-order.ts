import { isMap, type JsonMap, member } from "../json/json-value.ts";
import { few, findByKey, identity, keyOf, rankBy, scalarSet } from "./key-index.ts";
import { type ItemKind, isDeletion } from "./list-items.ts";

export interface ElementOrder {
  /** The order of the items that a patch speaks of. */
  readonly patch: readonly unknown[];
  /** The order of the others. */
  readonly server: readonly unknown[];
  /** The member by which items are matched; "" if they are matched by value. */
  readonly mergeKey: string;
  readonly kind: ItemKind;
}

/**
 * Puts the items of a merged list in order: those that the patch speaks of as it has them, the others
 * as they were, and both kinds among each other as they were, where that is known.
 */
export function inElementOrder(
  items: readonly unknown[],
  { patch, server, mergeKey, kind }: ElementOrder,
): unknown[] {
  if (kind === "map" && isAsSpoken(items, patch, mergeKey)) return [...items];
  const [spoken, others] = partition(items, patch, mergeKey);
  const key = kind === "map" ? mergeKey : undefined;
  const first = sortedBy(others, server, key);
  const second = sortedBy(spoken, patch, key);
  const find = rankBy(server, key);
  return interleaved(first, second, (item) => find(identity(item, key)));
}

/** Whether a patch speaks of all items, of each once, and in the order in which they are. */
function isAsSpoken(
  items: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
): boolean {
  if (items.length !== patch.length || items.length > few) return false;
  const keys: string[] = [];
  for (const [i, item] of items.entries()) {
    const key = isMap(item) && !isDeletion(item) ? member(item, mergeKey) : undefined;
    if (typeof key !== "string" || keys.includes(key)) return false;
    if (identity(patch[i], mergeKey) !== key) return false;
    keys.push(key);
  }
  return true;
}

/** Sorts items as `order` has them; items that are to be deleted come last. */
export function sortedBy(
  items: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const find = rankBy(order, mergeKey);
  const rank = (item: unknown) => find(identity(item, mergeKey));
  if (mergeKey === undefined) return stablySorted(items, rank);
  for (const item of items) keyOf(item, mergeKey);
  for (const item of order) keyOf(item, mergeKey);
  const maps = items as readonly JsonMap[];
  const kept = maps.filter((item) => !isDeletion(item));
  return [...stablySorted(kept, rank), ...maps.filter(isDeletion)];
}

/** The items that are in a list, and those that are not. */
function partition(
  items: readonly unknown[],
  list: readonly unknown[],
  mergeKey: string,
): [unknown[], unknown[]] {
  const isIn = mergeKey === "" ? scalarSet(list) : hasKey(list, mergeKey);
  const inside: unknown[] = [];
  const outside: unknown[] = [];
  for (const item of items) (isIn(item) ? inside : outside).push(item);
  return [inside, outside];
}

function hasKey(list: readonly unknown[], mergeKey: string): (item: unknown) => boolean {
  const find = findByKey(list, mergeKey);
  return (item) => find(keyOf(item, mergeKey)) >= 0;
}

/** An item that the order does not know goes before all that stand before it, as upstream has it. */
function stablySorted(items: readonly unknown[], rank: (item: unknown) => number): unknown[] {
  const ranked = items.map((item) => ({ item, at: rank(item) }));
  if (ranked.every(({ at }) => at >= 0)) ranked.sort((a, b) => a.at - b.at);
  else insertionSort(ranked, (a, b) => a.at < 0 || b.at < 0 || a.at < b.at);
  return ranked.map(({ item }) => item);
}

/** Go's way to sort short lists, whose outcome is defined even where `less` is no order. */
export function insertionSort<T>(items: T[], less: (a: T, b: T) => boolean): void {
  for (let i = 1; i < items.length; i++) {
    const item = items[i] as T;
    let at = i;
    while (at > 0 && less(item, items[at - 1] as T)) {
      items[at] = items[at - 1] as T;
      at--;
    }
    items[at] = item;
  }
}

/** Merges sorted lists: an item of the first goes before one of the second only if their ranks say so. */
function interleaved(
  first: readonly unknown[],
  second: readonly unknown[],
  rank: (item: unknown) => number,
): unknown[] {
  const ranks = second.map(rank);
  const all: unknown[] = [];
  let next = 0;
  for (const item of first) {
    const at = rank(item);
    const goesBefore = (other: number) => at >= 0 && other > at;
    while (next < second.length && !goesBefore(ranks[next] as number)) all.push(second[next++]);
    all.push(item);
  }
  return [...all, ...second.slice(next)];
}
