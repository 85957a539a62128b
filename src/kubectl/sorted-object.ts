import { isMap } from "../schema/json/json-value.ts";
import { setMember } from "../schema/json/strict-json.ts";
import { sortedKeys } from "../schema/values/utf8-order.ts";

/** The value with the keys of all maps sorted, as Go writes objects whose type it does not know. */
export function sortedObject<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortedObject) as T;
  if (!isMap(value)) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) setMember(sorted, key, sortedObject(value[key]));
  return sorted as T;
}
