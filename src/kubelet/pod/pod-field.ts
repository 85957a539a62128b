import { splitSubscript } from "../../api/core/v1/field-selector.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { quote } from "../../schema/values/quote.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";

/** The value of a metadata field of a pod as text; throws if the field is not supported. */
export function podField({ metadata }: Pod, fieldPath: string): string {
  const { annotations = {}, labels = {}, name = "", namespace = "", uid = "" } = metadata;
  const { path, subscript } = splitSubscript(fieldPath) ?? { path: fieldPath };
  const maps: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "metadata.annotations": annotations,
    "metadata.labels": labels,
  };
  const map = maps[path];
  if (map && subscript !== undefined)
    return Object.hasOwn(map, subscript) ? (map[subscript] ?? "") : "";
  if (map) return mapText(map);
  if (subscript !== undefined)
    throw new Error(`fieldPath ${quote(fieldPath)} does not support subscript`);
  const fields: Readonly<Record<string, string>> = {
    "metadata.name": name,
    "metadata.namespace": namespace,
    "metadata.uid": uid,
  };
  const value = fields[path];
  if (value === undefined) throw new Error(`unsupported fieldPath: ${fieldPath}`);
  return value;
}

/** One line for each entry: `key="value"`. */
const mapText = (map: Readonly<Record<string, string>>): string =>
  sortedKeys(map)
    .map((key) => `${key}=${quote(map[key] ?? "")}`)
    .join("\n");
