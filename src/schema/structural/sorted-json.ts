import { isMap, type JsonMap } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { compareUtf8 } from "../values/utf8-order.ts";

/** Any JSON with the members of objects in the order of their names, and without any that is undefined. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isMap(value)) return value;
  const result: JsonMap = {};
  for (const name of Object.keys(value).sort(compareUtf8))
    if (value[name] !== undefined) setMember(result, name, sortedJson(value[name]));
  return result;
}
