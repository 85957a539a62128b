import { isMap, type JsonMap, member } from "../json/json-value.ts";
import { goString, goText } from "../values/go-print.ts";
import { sortedScalars, withoutRepeats } from "./go-sort.ts";
import { sameScalar } from "./key-index.ts";
import { itemKind } from "./list-items.ts";
import { lookupList, lookupMember, type MemberInfo, type TypeInfo } from "./lookup.ts";
import { breaks, StrategicMergeError } from "./strategic-merge-error.ts";

/**
 * Whether two patches of one document want different things. Lists of scalars that are compared are
 * put in order, in place: what upstream sends afterwards is in that order, too.
 */
export function haveConflicts(left: unknown, right: unknown, type: TypeInfo): boolean {
  return valuesConflict(left, right, { type, strategy: "", retainKeys: false, mergeKey: "" });
}

function valuesConflict(left: unknown, right: unknown, info: MemberInfo): boolean {
  if (isMap(left)) {
    if (!isMap(right) || !haveSameDirective(left, right)) return true;
    return info.strategy === "replace" ? false : mapsConflict(left, right, info.type);
  }
  if (Array.isArray(left)) return Array.isArray(right) ? listsConflict(left, right, info) : true;
  return left !== right;
}

const haveSameDirective = (left: JsonMap, right: JsonMap): boolean =>
  Object.hasOwn(left, "$patch") === Object.hasOwn(right, "$patch") &&
  sameScalar(member(left, "$patch"), member(right, "$patch"));

function mapsConflict(left: JsonMap, right: JsonMap, type: TypeInfo): boolean {
  return Object.keys(left).some((name) => {
    if (name === "$patch" || name === "$retainKeys" || !Object.hasOwn(right, name)) return false;
    const [ours, theirs] = [left[name], right[name]];
    if (Array.isArray(ours)) return valuesConflict(ours, theirs, lookupList(type, name));
    if (isMap(ours)) return valuesConflict(ours, theirs, lookupMember(type, name));
    return haveConflicts(ours, theirs, type);
  });
}

function listsConflict(left: unknown[], right: unknown[], info: MemberInfo): boolean {
  const kind = itemKind(left, right);
  if (info.strategy === "merge") {
    if (kind === "scalar") return false;
    return itemsConflict(byKey(left, info.mergeKey), byKey(right, info.mergeKey), info.type);
  }
  if (left.length !== right.length) return true;
  const ours = kind === "scalar" ? inOrder(left) : left;
  const theirs = kind === "scalar" ? inOrder(right) : right;
  return ours.some((item, i) => {
    if (i >= theirs.length) throw breaks(`index out of range [${i}] with length ${theirs.length}`);
    return haveConflicts(item, theirs[i], info.type);
  });
}

/** Sorts the scalars of a list, each once; behind them the list keeps what it had. */
function inOrder(list: unknown[]): readonly unknown[] {
  const sorted = sortedScalars(withoutRepeats(list));
  for (const [i, item] of sorted.entries()) list[i] = item;
  return sorted;
}

function byKey(list: readonly unknown[], mergeKey: string): ReadonlyMap<string, JsonMap> {
  return new Map(
    list.map((item) => {
      if (!isMap(item))
        throw new StrategicMergeError(`invalid element type in merging list:${goString(list)}`);
      if (!Object.hasOwn(item, mergeKey))
        throw new StrategicMergeError(
          `cannot find merge key \`${mergeKey}\` in merging list element:${goString(item)}`,
        );
      return [goText(item[mergeKey]), item] as const;
    }),
  );
}

function itemsConflict(
  left: ReadonlyMap<string, JsonMap>,
  right: ReadonlyMap<string, JsonMap>,
  type: TypeInfo,
): boolean {
  for (const [key, item] of left) {
    const other = right.get(key);
    if (other && haveConflicts(item, other, type)) return true;
  }
  return false;
}
