import { isMap, isNull, type JsonMap, member } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { goString, goType } from "../values/go-print.ts";
import { breaks, listOfLists, StrategicMergeError } from "./strategic-merge-error.ts";

export type ItemKind = "map" | "scalar";

/** What lists that are merged hold: all their items must be alike, and none may be a list. */
export function itemKind(...lists: readonly (readonly unknown[])[]): ItemKind {
  const whole = lists.find((list) => list.length > 0);
  if (!whole) throw new StrategicMergeError("no elements in any of the given slices");
  const [first] = whole;
  if (isNull(first)) throw breaks("invalid memory address or nil pointer dereference");
  if (Array.isArray(first)) throw listOfLists();
  const type = goType(first);
  if (lists.some((list) => list.some((item) => goType(item) !== type)))
    throw new StrategicMergeError(`list element types are not identical: ${goString(lists)}`);
  return isMap(first) ? "map" : "scalar";
}

/** An item of a list that says that the one with this key is to go. */
export function deletionOf(mergeKey: string, key: unknown): JsonMap {
  const item: JsonMap = {};
  setMember(item, mergeKey, key);
  item.$patch = "delete";
  return item;
}

export const isDeletion = (item: JsonMap): boolean => member(item, "$patch") === "delete";
