import {
  isMap,
  isNull,
  type JsonMap,
  member,
  type ReadonlyJsonMap,
  sameJson,
} from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { goType } from "../values/go-print.ts";
import { compareUtf8 } from "../values/utf8-order.ts";
import { type DiffItem, diffList } from "./diff-list.ts";
import { deletionPrefix, orderPrefix, retainKeys } from "./directives.ts";
import { lookupList, lookupMember, type MemberInfo, type TypeInfo } from "./lookup.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

export interface DiffOptions {
  /** Say in which order lists are that are merged. */
  readonly setElementOrder?: boolean;
  /** Leave out what was changed or added. */
  readonly ignoreChanges?: boolean;
  /** Leave out what was deleted. */
  readonly ignoreDeletions?: boolean;
}

export interface MapDiff extends DiffOptions {
  readonly type: TypeInfo;
  /** Say which members there are, so that others are dropped. */
  readonly retainKeys?: boolean;
}

/** The patch that leads from one map to another. */
export function diffMap(
  original: ReadonlyJsonMap,
  modified: ReadonlyJsonMap,
  diff: MapDiff,
): JsonMap {
  const patch: JsonMap = {};
  for (const name of Object.keys(modified)) diffMember(original, modified, { diff, patch, name });
  const gone = Object.keys(original).filter((name) => !Object.hasOwn(modified, name));
  if (!diff.ignoreDeletions) for (const name of gone) setMember(patch, name, null);
  if (diff.retainKeys) {
    const kept = Object.keys(modified).filter((name) => !isNull(modified[name]));
    const isChanged = Object.keys(patch).length > 0 || gone.some((name) => !isNull(original[name]));
    if (kept.length > 0 && isChanged) patch[retainKeys] = kept.sort(compareUtf8);
  }
  return patch;
}

interface MemberDiff {
  readonly diff: MapDiff;
  readonly patch: JsonMap;
  readonly name: string;
}

function diffMember(
  original: ReadonlyJsonMap,
  modified: ReadonlyJsonMap,
  { diff, patch, name }: MemberDiff,
): void {
  const before = member(original, name);
  const after = modified[name];
  const replace = () => {
    if (!diff.ignoreChanges) setMember(patch, name, after);
  };
  if (!Object.hasOwn(original, name)) replace();
  else if (name === "$patch") diffDirective(before, after, patch);
  else if (goType(before) !== goType(after)) replace();
  else if (isMap(before)) diffInnerMap(before, after as JsonMap, { diff, patch, name });
  else if (Array.isArray(before))
    diffInnerList(before, after as readonly unknown[], { diff, patch, name });
  else if (before !== after) replace();
}

function diffDirective(before: unknown, after: unknown, patch: JsonMap): void {
  if (typeof before !== "string" || typeof after !== "string")
    throw new StrategicMergeError("invalid value for special key: $patch");
  if (before !== after) patch.$patch = after;
}

function diffInnerMap(before: JsonMap, after: JsonMap, { diff, patch, name }: MemberDiff): void {
  const info = unlessSame(before, after, () => lookupMember(diff.type, name));
  if (!info) return;
  if (info.strategy === "replace") {
    if (!diff.ignoreChanges) setMember(patch, name, after);
    return;
  }
  const inner = diffMap(before, after, { ...diff, type: info.type, retainKeys: info.retainKeys });
  if (Object.keys(inner).length > 0) setMember(patch, name, inner);
}

function diffInnerList(
  before: readonly unknown[],
  after: readonly unknown[],
  { diff, patch, name }: MemberDiff,
): void {
  const info = unlessSame(before, after, () => lookupList(diff.type, name));
  if (!info) return;
  if (info.strategy !== "merge") {
    if (!diff.ignoreChanges && !sameJson(before, after)) setMember(patch, name, after);
    return;
  }
  const { mergeKey, type } = info;
  const diffItem: DiffItem = (one, other) =>
    diffMap(one, other, { ...diff, type, retainKeys: info.retainKeys });
  const { changes, deletions, order } = diffList(before, after, { ...diff, mergeKey, diffItem });
  if (changes.length > 0) setMember(patch, name, changes);
  if (deletions.length > 0) patch[`${deletionPrefix}/${name}`] = deletions;
  if (order.length > 0) patch[`${orderPrefix}/${name}`] = order;
}

/** What is not known of a type does not matter where nothing changes. */
function unlessSame(
  before: unknown,
  after: unknown,
  lookup: () => MemberInfo,
): MemberInfo | undefined {
  try {
    return lookup();
  } catch (error) {
    if (error instanceof StrategicMergeError && sameJson(before, after)) return undefined;
    throw error;
  }
}
