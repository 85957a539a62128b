import { isMap, type JsonMap, member, sameJson } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { goString } from "../values/go-print.ts";
import { directiveKey, isDirective, orderPrefix, withoutDirectives } from "./directives.ts";
import { inElementOrder } from "./element-order.ts";
import { keyOf, sameScalar } from "./key-index.ts";
import { isDeletion, itemKind } from "./list-items.ts";
import { lookupList, type MemberInfo, type TypeInfo } from "./lookup.ts";
import { type MergedList, type MergeItem, mergeList } from "./merge-list.ts";
import {
  badElementOrder,
  notAList,
  notAMap,
  StrategicMergeError,
} from "./strategic-merge-error.ts";

interface OrderedMerge {
  readonly type: TypeInfo;
  readonly keepDirectives: boolean;
  readonly mergeItem: MergeItem;
}

/**
 * Merges the lists whose order a patch says with `$setElementOrder`; that and the patch's list are
 * taken out of the patch.
 */
export function mergeOrderedLists(result: JsonMap, patch: JsonMap, merge: OrderedMerge): void {
  for (const name of Object.keys(patch)) {
    if (!name.startsWith(orderPrefix)) continue;
    const order = patch[name];
    if (merge.keepDirectives) carryOver(result, name, order);
    delete patch[name];
    if (!Array.isArray(order)) throw notAList(order);
    mergeOrderedList(result, patch, { merge, name: directiveKey(name, orderPrefix), order });
  }
}

function carryOver(result: JsonMap, name: string, order: unknown): void {
  if (Object.hasOwn(result, name) && !sameJson(result[name], order)) throw badElementOrder();
  setMember(result, name, order);
}

function mergeOrderedList(
  result: JsonMap,
  patch: JsonMap,
  { name, order, merge }: { name: string; order: readonly unknown[]; merge: OrderedMerge },
): void {
  const { type, mergeItem } = merge;
  const original = listAt(result, name);
  const change = listAt(patch, name);
  const info = lookupList(type, name);
  const { mergeKey } = info;
  checkOrder(change ?? [], order, mergeKey);
  if (!original && !change) return;
  const { items, before } = merged(original, change, { info, mergeItem });
  const kind = itemKind(original ?? [], change ?? []);
  setMember(result, name, inElementOrder(items, { patch: order, server: before, mergeKey, kind }));
  delete patch[name];
}

function listAt(map: JsonMap, name: string): readonly unknown[] | undefined {
  if (!Object.hasOwn(map, name)) return undefined;
  const list = member(map, name);
  if (!Array.isArray(list)) throw notAList(list);
  return list;
}

function merged(
  original: readonly unknown[] | undefined,
  change: readonly unknown[] | undefined,
  { info, mergeItem }: { readonly info: MemberInfo; readonly mergeItem: MergeItem },
): MergedList {
  if (!change) return { items: original ?? [], before: original ?? [] };
  if (!original) return { items: withoutDirectives(change) as unknown[], before: [] };
  return mergeList(original, change, { info, mergeItem });
}

/** The items of a patch must stand in the order that it says itself. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey === "" ? patch : kept(patch);
  let next = 0;
  for (const wanted of order) {
    while (isDirective(items[next])) next++;
    if (next >= items.length) return;
    const isSame =
      mergeKey === ""
        ? sameScalar(items[next], wanted)
        : sameScalar(keyOf(items[next], mergeKey), keyOf(wanted, mergeKey));
    if (isSame) next++;
  }
  // Directives behind the last item that is ordered are of no use any more, and are minded.
  if (next < items.length)
    throw new StrategicMergeError(
      `The order in patch list:\n${goString(patch)}\n doesn't match ${orderPrefix} list:\n${goString(order)}\n`,
    );
}

function kept(patch: readonly unknown[]): readonly unknown[] {
  return patch.filter((item) => {
    if (!isMap(item)) throw notAMap(item);
    return !isDeletion(item);
  });
}
