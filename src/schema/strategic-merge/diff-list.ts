import { type JsonMap, sameJson } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { goString } from "../values/go-print.ts";
import { compareUtf8 } from "../values/utf8-order.ts";
import { sortedBy } from "./element-order.ts";
import { sortedByText, sortedScalars, withoutRepeats } from "./go-sort.ts";
import { identity, keyOf, sameScalar } from "./key-index.ts";
import { deletionOf, itemKind } from "./list-items.ts";

/** The patch that leads from one item of a list to another. */
export type DiffItem = (original: JsonMap, modified: JsonMap) => JsonMap;

export interface ListDiffing {
  readonly mergeKey: string;
  readonly diffItem: DiffItem;
  readonly setElementOrder?: boolean;
  readonly ignoreChanges?: boolean;
  readonly ignoreDeletions?: boolean;
}

export interface ListDiff {
  /** Items to merge into the list, and directives that delete items. */
  readonly changes: readonly unknown[];
  /** Scalars to delete. */
  readonly deletions: readonly unknown[];
  /** The order of the list; empty where it need not be said. */
  readonly order: readonly unknown[];
}

/** What leads from one list to another, of a list that patches merge. */
export function diffList(
  original: readonly unknown[],
  modified: readonly unknown[],
  diff: ListDiffing,
): ListDiff {
  if (original.length === 0)
    return { changes: diff.ignoreChanges ? [] : modified, deletions: [], order: [] };
  return itemKind(original, modified) === "map"
    ? diffMaps(original as readonly JsonMap[], modified as readonly JsonMap[], diff)
    : diffScalars(original, modified, diff);
}

function diffMaps(
  original: readonly JsonMap[],
  modified: readonly JsonMap[],
  diff: ListDiffing,
): ListDiff {
  const { mergeKey, setElementOrder, ignoreChanges, ignoreDeletions } = diff;
  const { changed, deleted } = diffItems(original, modified, diff);
  const inOrder = sortedBy(changed, modified, mergeKey);
  const isMoved = !hasSameOrder(original, modified, mergeKey);
  const changes = [...inOrder, ...deleted];
  const isOrdered =
    setElementOrder &&
    ((!ignoreChanges && (changes.length > 0 || isMoved)) ||
      (!ignoreDeletions && changes.length > 0));
  return { changes, deletions: [], order: isOrdered ? keysOf(modified, mergeKey) : [] };
}

function keysOf(items: readonly JsonMap[], mergeKey: string): JsonMap[] {
  return items.map((item) => {
    const key: JsonMap = {};
    setMember(key, mergeKey, keyOf(item, mergeKey));
    return key;
  });
}

function hasSameOrder(
  original: readonly unknown[],
  modified: readonly unknown[],
  mergeKey: string,
): boolean {
  if (original.length !== modified.length) return false;
  return modified.every((item, i) => {
    if (mergeKey === "") return sameScalar(original[i], item);
    return sameScalar(keyOf(original[i], mergeKey), keyOf(item, mergeKey));
  });
}

/** Walks through both lists in the order of their keys. */
function diffItems(
  original: readonly JsonMap[],
  modified: readonly JsonMap[],
  { mergeKey, diffItem, ignoreChanges, ignoreDeletions }: ListDiffing,
): { readonly changed: readonly unknown[]; readonly deleted: readonly unknown[] } {
  const changed: unknown[] = [];
  const deleted: unknown[] = [];
  const key = (item: unknown) => identity(item, mergeKey);
  walk(sortedByText(original, key), sortedByText(modified, key), {
    text: (item) => goString(keyOf(item, mergeKey)),
    both(before, after) {
      const patch = diffItem(before, after);
      if (Object.keys(patch).length === 0) return;
      setMember(patch, mergeKey, keyOf(after, mergeKey));
      changed.push(patch);
    },
    added(item) {
      if (!ignoreChanges) changed.push(item);
    },
    gone(item) {
      if (!ignoreDeletions) deleted.push(deletionOf(mergeKey, keyOf(item, mergeKey)));
    },
  });
  return { changed, deleted };
}

function diffScalars(
  original: readonly unknown[],
  modified: readonly unknown[],
  { setElementOrder, ignoreChanges, ignoreDeletions }: ListDiffing,
): ListDiff {
  const added: unknown[] = [];
  const gone: unknown[] = [];
  const sorted = sortedScalars(original);
  walk(sorted, sortedScalars(modified), {
    text: goString,
    both() {},
    added: (item) => ignoreChanges || added.push(item),
    gone: (item) => ignoreDeletions || gone.push(item),
  });
  // Upstream has sorted the original list when it compares the order, and so says it too often.
  const isOrdered =
    setElementOrder &&
    ((!ignoreDeletions && gone.length > 0) || (!ignoreChanges && !sameJson(sorted, modified)));
  return {
    changes: sortedBy(added, modified, undefined),
    deletions: withoutRepeats(gone),
    order: isOrdered ? modified : [],
  };
}

interface Walk<T> {
  text(item: T): string;
  both(before: T, after: T): void;
  added(item: T): void;
  gone(item: T): void;
}

/** Goes through two sorted lists side by side. */
function walk<T>(original: readonly T[], modified: readonly T[], steps: Walk<T>): void {
  let i = 0;
  let j = 0;
  while (i < original.length || j < modified.length) {
    const order = compareEnds(original, modified, { i, j, text: steps.text });
    if (order === 0) steps.both(original[i++] as T, modified[j++] as T);
    else if (order > 0) steps.added(modified[j++] as T);
    else steps.gone(original[i++] as T);
  }
}

function compareEnds<T>(
  original: readonly T[],
  modified: readonly T[],
  { i, j, text }: { readonly i: number; readonly j: number; text(item: T): string },
): number {
  const before = i < original.length ? text(original[i] as T) : undefined;
  const after = j < modified.length ? text(modified[j] as T) : undefined;
  if (before === undefined) return 1;
  return after === undefined ? -1 : compareUtf8(before, after);
}
