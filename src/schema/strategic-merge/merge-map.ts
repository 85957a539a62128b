import { isMap, isNull, type JsonMap, member, type ReadonlyJsonMap } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { goType } from "../values/go-print.ts";
import {
  applyRetainKeys,
  deletionPrefix,
  directiveKey,
  putWithoutDirectives,
} from "./directives.ts";
import { lookupList, lookupMember, type TypeInfo } from "./lookup.ts";
import { type MergeItem, mergeList } from "./merge-list.ts";
import { mergeOrderedLists } from "./ordered-lists.ts";
import { unknownPatchType } from "./strategic-merge-error.ts";

export interface MapMerge {
  readonly type: TypeInfo;
  /** The document is a patch itself: directives are carried over, not carried out. */
  readonly keepDirectives: boolean;
}

type Merging = MapMerge & { readonly mergeItem: MergeItem };

/**
 * Merges a patch into a document, which stays as it is. The patch is used up: what is carried out is
 * taken out of it, and what it holds may become part of the result.
 */
export function mergeMap(original: ReadonlyJsonMap, patch: JsonMap, merge: MapMerge): JsonMap {
  if (Object.hasOwn(patch, "$patch")) return wholeMap(patch);
  const result: JsonMap = { ...original };
  applyRetainKeys(result, patch, merge.keepDirectives);
  const { type, keepDirectives } = merge;
  const mergeItem: MergeItem = (item, change, inner) =>
    mergeMap(item, change, { type: inner, keepDirectives });
  const merging: Merging = { type, keepDirectives, mergeItem };
  mergeOrderedLists(result, patch, merging);
  for (const name of Object.keys(patch)) mergeMember(result, patch, name, merging);
  return result;
}

/** A map that says itself what becomes of it. */
function wholeMap(patch: JsonMap): JsonMap {
  const { $patch: directive } = patch;
  if (directive === "delete") return {};
  if (directive !== "replace") throw unknownPatchType(directive, patch);
  delete patch.$patch;
  return patch;
}

function mergeMember(
  result: JsonMap,
  patch: JsonMap,
  name: string,
  { type, keepDirectives, mergeItem }: Merging,
): void {
  const change = patch[name];
  let target = name;
  const isDeletionList = name.startsWith(deletionPrefix);
  if (isDeletionList) {
    if (keepDirectives) {
      setMember(result, name, change);
      return;
    }
    target = directiveKey(name, deletionPrefix) || name;
  }
  if (isNull(change)) {
    delete result[target];
    if (!keepDirectives) return;
  }
  const current = member(result, target);
  const isThere = Object.hasOwn(result, target);
  if (!isThere || goType(current) !== goType(change)) {
    if (isDeletionList) return;
    if (!keepDirectives) dropNulls(change);
    putWithoutDirectives(result, target, change);
  } else if (isMap(current)) {
    const info = lookupMember(type, target);
    const merged =
      info.strategy === "replace" ? change : mergeItem(current, change as JsonMap, info.type);
    setMember(result, target, merged);
  } else if (Array.isArray(current)) {
    const info = lookupList(type, target);
    const merge = { info, isDeletionList, mergeItem };
    setMember(result, target, mergeList(current, change as unknown[], merge).items);
  } else {
    putWithoutDirectives(result, target, change);
  }
}

/** Takes members that are null out of a value, at any depth; items that are null stay. */
function dropNulls(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) dropNulls(item);
  if (!isMap(value)) return;
  for (const name of Object.keys(value)) {
    if (isNull(value[name])) delete value[name];
    else dropNulls(value[name]);
  }
}
