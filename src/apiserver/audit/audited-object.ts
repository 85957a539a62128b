import { encodeAnyJson } from "../../schema/json/json.ts";
import { copyJson, isMap, type JsonMap } from "../../schema/json/json-value.ts";
import { jsonValue, parseJson } from "../../schema/json/strict-json.ts";
import { YamlError, yamlToJson } from "../../schema/yaml/yaml.ts";
import { type AnyKind, canonical, type ObjectDraft } from "../objects/object.ts";

/** An object that was sent, with its defaults, as JSON. */
export function sentObject(kind: AnyKind, draft: ObjectDraft, omitsManagedFields: boolean): string {
  const copy = copyJson(draft);
  if (omitsManagedFields && isMap(copy.metadata)) delete copy.metadata.managedFields;
  try {
    kind.form.complete(copy);
    return kind.form.encode(canonical(kind, copy));
  } catch {
    // Its errors are those of the request, which finds them itself.
    return encodeAnyJson(copy);
  }
}

/** A patch that was sent, as JSON on one line; one that cannot be read is a string. */
export function sentPatch(text: string): string {
  try {
    return encodeAnyJson(jsonValue(parseJson(text)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return encodeAnyJson(yamlToJson(text, { lenient: true }));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return JSON.stringify(text);
  }
}

/** The JSON of an object, a list or a table without managed fields. */
export function withoutManagedFields(json: string): string {
  const value = jsonValue(parseJson(json));
  if (!isMap(value)) return json;
  drop(value);
  for (const item of listed(value.items)) drop(item);
  for (const row of listed(value.rows)) if (isMap(row.object)) drop(row.object);
  return encodeAnyJson(value);
}

function drop({ metadata }: JsonMap): void {
  if (isMap(metadata)) delete metadata.managedFields;
}

const listed = (value: unknown): JsonMap[] => (Array.isArray(value) ? value.filter(isMap) : []);
