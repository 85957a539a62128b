import { isMap, type JsonMap, member } from "../json/json-value.ts";
import { inElementOrder } from "./element-order.ts";
import { findByKey, keyOf, sameScalar, scalarSet } from "./key-index.ts";
import { itemKind } from "./list-items.ts";
import { goKind, type MemberInfo, type TypeInfo } from "./lookup.ts";
import { StrategicMergeError, unknownPatchType } from "./strategic-merge-error.ts";

/** Merges a change into an item of a list, or a member, of this type; the change is used up. */
export type MergeItem = (item: JsonMap, change: JsonMap, type: TypeInfo) => JsonMap;

export interface ListMerge {
  readonly info: MemberInfo;
  /** The patch lists what is to be deleted. */
  readonly isDeletionList?: boolean;
  readonly mergeItem: MergeItem;
}

export interface MergedList {
  readonly items: readonly unknown[];
  /** The order of the list before, as it counts for `$setElementOrder`. */
  readonly before: readonly unknown[];
}

/** Merges a list of a patch into one of a document; the document's stays as it is. */
export function mergeList(
  original: readonly unknown[],
  patch: readonly unknown[],
  merge: ListMerge,
): MergedList {
  const { info, isDeletionList = false } = merge;
  const { mergeKey } = info;
  if (info.strategy !== "merge" && !isDeletionList) return { items: patch, before: original };
  if (original.length === 0 && patch.length === 0) return { items: original, before: original };
  const kind = itemKind(original, patch);
  if (kind === "map") return mergeMaps(original as readonly JsonMap[], patch as JsonMap[], merge);
  if (isDeletionList) {
    const isDeleted = scalarSet(patch);
    return { items: original.filter((item) => !isDeleted(item)), before: original };
  }
  const items = [...new Set([...original, ...patch])];
  return {
    items: inElementOrder(items, { patch, server: original, mergeKey, kind }),
    before: original,
  };
}

function mergeMaps(
  original: readonly JsonMap[],
  patch: readonly JsonMap[],
  { info, mergeItem }: ListMerge,
): MergedList {
  const { mergeKey, type } = info;
  if (mergeKey === "")
    throw new StrategicMergeError(`cannot merge lists without merge key for ${goKind(type.shape)}`);
  const { kept, changes, isReplaced } = carryOutDirectives(original, patch, mergeKey);
  if (isReplaced)
    return { items: inOrder(changes, [], { server: changes, mergeKey }), before: kept };
  const merge = (item: JsonMap, change: JsonMap) => mergeItem(item, change, type);
  const { items, added } = mergeItems(kept, changes, { merge, mergeKey });
  // Upstream edits the list in place: items that are added take the room of those that were deleted,
  // and so have a place in the order before.
  const before = [...kept, ...added.slice(0, original.length - kept.length)];
  return { items: inOrder(items, changes, { server: kept, mergeKey }), before };
}

const inOrder = (
  items: readonly unknown[],
  patch: readonly unknown[],
  { server, mergeKey }: { readonly server: readonly unknown[]; readonly mergeKey: string },
): unknown[] => inElementOrder(items, { patch, server, mergeKey, kind: "map" });

interface CarriedOut {
  /** What is left of the list. */
  readonly kept: readonly JsonMap[];
  /** The items of the patch that are no directives. */
  readonly changes: readonly JsonMap[];
  /** Whether these are the new list. */
  readonly isReplaced: boolean;
}

function carryOutDirectives(
  original: readonly JsonMap[],
  patch: readonly JsonMap[],
  mergeKey: string,
): CarriedOut {
  const deleted: unknown[] = [];
  const changes: JsonMap[] = [];
  let isReplaced = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, "$patch")) changes.push(item);
    else if (item.$patch === "delete") deleted.push(keyOf(item, mergeKey));
    else if (item.$patch === "replace") isReplaced = true;
    else if (item.$patch === "merge")
      throw new StrategicMergeError("merging lists cannot yet be specified in the patch");
    else throw unknownPatchType(item.$patch, item);
  }
  return { kept: without(original, deleted, mergeKey), changes, isReplaced };
}

function without(
  items: readonly JsonMap[],
  keys: readonly unknown[],
  mergeKey: string,
): readonly JsonMap[] {
  if (keys.length === 0) return items;
  const odd = keys.filter((key) => typeof key === "object" && key !== null);
  const plain = new Set(keys.map((key) => key ?? null));
  return items.filter((item) => {
    if (!Object.hasOwn(item, mergeKey)) return true;
    const key = member(item, mergeKey) ?? null;
    return !odd.some((other) => sameScalar(key, other)) && !plain.has(key);
  });
}

/** Merges each item of a patch into the one with its key, or adds it. */
function mergeItems(
  original: readonly JsonMap[],
  patch: readonly JsonMap[],
  { merge, mergeKey }: { merge: (item: JsonMap, change: JsonMap) => JsonMap; mergeKey: string },
): { readonly items: readonly unknown[]; readonly added: readonly unknown[] } {
  const items: unknown[] = [...original];
  const find = findByKey(original, mergeKey);
  const added = new Map<unknown, number>();
  for (const change of patch) {
    const key = keyOf(change, mergeKey);
    const at = find(key);
    const place = at >= 0 ? at : added.get(key ?? null);
    if (place === undefined) {
      added.set(key ?? null, items.length);
      items.push(change);
      continue;
    }
    const item = items[place];
    items[place] = merge(isMap(item) ? item : {}, change);
  }
  return { items, added: items.slice(original.length) };
}
