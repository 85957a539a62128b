import { isMap, isNull, type JsonMap, member, sameJson } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { goString } from "../values/go-print.ts";
import { scalarSet } from "./key-index.ts";
import {
  badDeletionList,
  badElementOrder,
  badRetainKeys,
  StrategicMergeError,
} from "./strategic-merge-error.ts";

export const deletionPrefix = "$deleteFromPrimitiveList";
export const orderPrefix = "$setElementOrder";
export const retainKeys = "$retainKeys";

/** The list that a directive is about: `a` for `$setElementOrder/a`. */
export function directiveKey(
  name: string,
  prefix: typeof deletionPrefix | typeof orderPrefix,
): string {
  if (name.startsWith(`${prefix}/`)) return name.slice(prefix.length + 1);
  throw prefix === orderPrefix ? badElementOrder() : badDeletionList();
}

/** Drops the members of a document that the patch does not list as those to keep. */
export function applyRetainKeys(result: JsonMap, patch: JsonMap, keepDirectives: boolean): void {
  if (!Object.hasOwn(patch, retainKeys)) return;
  const listed = patch[retainKeys];
  delete patch[retainKeys];
  if (keepDirectives) {
    carryOver(result, listed);
    return;
  }
  if (!Array.isArray(listed)) throw badRetainKeys();
  const isKept = scalarSet(listed);
  for (const name of Object.keys(patch)) {
    if (isNull(patch[name]) || name.startsWith(deletionPrefix) || name.startsWith(orderPrefix))
      continue;
    if (!isKept(name)) throw badRetainKeys();
  }
  for (const name of Object.keys(result)) if (!isKept(name)) delete result[name];
}

function carryOver(result: JsonMap, listed: unknown): void {
  const already = member(result, retainKeys);
  if (Object.hasOwn(result, retainKeys) && !sameJson(already, listed))
    throw new StrategicMergeError(
      `${goString(already)} and ${goString(listed)} are not deep equal: this may happen when calculating the 3-way diff patch`,
    );
  result[retainKeys] = listed;
}

/** Sets a member to a value of a patch, without what is a directive in it. */
export function putWithoutDirectives(result: JsonMap, name: string, value: unknown): void {
  if (isDirective(value)) delete result[name];
  else setMember(result, name, withoutDirectives(value));
}

/** A value of a patch without the maps in it that are directives; maps are changed in place. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value))
    return value.filter((item) => !isDirective(item)).map(withoutDirectives);
  if (!isMap(value)) return value;
  for (const name of Object.keys(value)) putWithoutDirectives(value, name, value[name]);
  return value;
}

/** Whether a value says itself what becomes of it. */
export const isDirective = (value: unknown): boolean =>
  isMap(value) && Object.hasOwn(value, "$patch");
