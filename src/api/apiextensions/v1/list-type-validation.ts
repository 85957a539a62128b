import type { At } from "../../../schema/language/report.ts";
import { goItems } from "./internal-form.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { itemsOf, propertyOf } from "./subschemas.ts";

/** The rules of `x-kubernetes-list-type` and of the keys of lists that are maps. */
export function validateListType(
  schema: JSONSchemaProps,
  at: At,
  options: { readonly requireAtomicSets: boolean; readonly requireMapKeys: boolean },
): void {
  const { type = "" } = schema;
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType !== undefined && type !== "array") {
    const detail = "must be array if x-kubernetes-list-type is specified";
    if (type === "") at.required("type", detail);
    else at.invalid("type", type, detail);
  } else if (options.requireAtomicSets && hasLooseItems(schema)) {
    const items = itemsOf(schema) as JSONSchemaProps;
    at.child("items").invalid(
      items.type === "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type",
      items["x-kubernetes-list-type"],
      "must be atomic as item of a list with x-kubernetes-list-type=set",
    );
  }
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    at.notSupported("x-kubernetes-list-type", listType, ["atomic", "set", "map"]);
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (listType === undefined) at.required("x-kubernetes-list-type", detail);
    else at.invalid("x-kubernetes-list-type", listType, detail);
  }
  if (listType === "map") validateMap(schema, keys, at);
  if (options.requireMapKeys) validateKeys(schema, at);
}

/** Whether a schema is of a set whose items are not atomic. */
export function hasLooseItems(schema: JSONSchemaProps): boolean {
  const items = itemsOf(schema);
  if (schema["x-kubernetes-list-type"] !== "set" || !items) return false;
  if (items.type === "array") return (items["x-kubernetes-list-type"] ?? "atomic") !== "atomic";
  return items.type === "object" && items["x-kubernetes-map-type"] !== "atomic";
}

/** Whether the keys of a list that is a map can be absent or null, or its items null. */
export function hasLooseKeys(schema: JSONSchemaProps, at: At): boolean {
  const start = at.errors.length;
  validateKeys(schema, at);
  return at.errors.splice(start).length > 0;
}

function validateMap(schema: JSONSchemaProps, keys: readonly string[], at: At): void {
  const items = itemsOf(schema);
  if (keys.length === 0)
    at.required("x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map");
  if (schema.items === undefined)
    at.required("items", "must have a schema if x-kubernetes-list-type is map");
  else if (!items)
    at.invalid(
      "items",
      goItems(schema.items),
      "must only have a single schema if x-kubernetes-list-type is map",
    );
  else if (items.type !== "object")
    at.child("items").invalid(
      "type",
      items.type ?? "",
      "must be object if parent array's x-kubernetes-list-type is map",
    );
  if (items?.type !== "object") return;
  const seen = new Set<string>();
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (!property)
      at.invalid(
        "x-kubernetes-list-map-keys",
        keys,
        "entries must all be names of item properties",
      );
    else if (property.type === "array" || property.type === "object")
      at.child("items")
        .child("properties")
        .key(key)
        .invalid(
          "type",
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        );
    if (seen.has(key))
      at.invalid("x-kubernetes-list-map-keys", keys, "must not contain duplicate entries");
    seen.add(key);
  }
}

function validateKeys(schema: JSONSchemaProps, at: At): void {
  const items = itemsOf(schema);
  const listType = schema["x-kubernetes-list-type"];
  if (!items || (listType !== "set" && listType !== "map")) return;
  const here = at.child("items");
  if (items.nullable)
    here.forbidden("nullable", `cannot be nullable when x-kubernetes-list-type is ${listType}`);
  if (listType === "set") return;
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const property = propertyOf(items, key);
    if (!property) continue;
    const place = here.child("properties").key(key);
    const hasDefault = property.default !== undefined && property.default !== null;
    if (!items.required?.includes(key) && !hasDefault)
      place.required(
        "default",
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      );
    if (property.nullable)
      place.forbidden(
        "nullable",
        "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
      );
  }
}
