import {
  type DeclType,
  declBool,
  declBytes,
  declDouble,
  declDuration,
  declDyn,
  declInt,
  declList,
  declMap,
  declObject,
  declString,
  declTimestamp,
} from "../../../../cel/checking/decl-type.ts";
import { withResourceFields } from "../../../../cel/schema-values/resource-schema.ts";
import { escapeName } from "../../../../cel/syntax/escape.ts";
import type { JSONSchemaProps } from "../json-schema-props.ts";
import { additionalOf, itemsOf } from "../subschemas.ts";

/** A request may have so many bytes; nothing in it can be larger. */
export const maxRequestBytes = 3 * 1024 * 1024;

/**
 * The type that rules see a value of a schema as. What has no type is not seen at all. A resource
 * has a kind, a version and a name, whatever its schema says of them.
 */
export function ruleType(
  schema: JSONSchemaProps,
  { isResource }: { readonly isResource: boolean },
): DeclType | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    const { maxLength } = schema;
    const maxElements = maxLength === undefined ? maxText : 4 * atLeastZero(maxLength);
    return { ...declDyn, maxElements };
  }
  switch (schema.type) {
    case "array":
      return listType(schema);
    case "object":
      return isResource ? objectType(withResourceFields(schema)) : objectType(schema);
    case "string":
      return stringType(schema);
    case "boolean":
      return declBool;
    case "number":
      return declDouble;
    case "integer":
      return declInt;
    default:
      return undefined;
  }
}

const maxText = maxRequestBytes - 2;
const atLeastZero = (value: number): number => Math.max(value, 0);

const typeOf = (schema: JSONSchemaProps): DeclType | undefined =>
  ruleType(schema, { isResource: schema["x-kubernetes-embedded-resource"] === true });

function listType(schema: JSONSchemaProps): DeclType | undefined {
  const items = itemsOf(schema);
  const element = items && typeOf(items);
  if (element === undefined) return undefined;
  const { maxItems } = schema;
  const most = Math.floor(maxText / (element.minSize + 1));
  return declList(element, maxItems === undefined ? most : atLeastZero(maxItems));
}

function objectType(schema: JSONSchemaProps): DeclType | undefined {
  const additional = additionalOf(schema);
  if (additional !== undefined) return mapType(schema, typeOf(additional));
  const required = new Set(schema.required ?? []);
  const fields = new Map<string, DeclType>();
  let minSize = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = typeOf(property);
    if (type === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, type);
    const hasDefault = property.default !== undefined && property.default !== null;
    if (required.has(name) && !hasDefault) minSize += byteLength(name) + type.minSize + 4;
  }
  return { ...declObject("object", fields), minSize };
}

function mapType(schema: JSONSchemaProps, element: DeclType | undefined): DeclType | undefined {
  if (element === undefined) return undefined;
  const { maxProperties } = schema;
  // A member takes at least its value, two quotes, a colon and a comma, and a name of two letters.
  const most = Math.floor(maxText / (element.minSize + 6));
  return declMap(
    declString,
    element,
    maxProperties === undefined ? most : atLeastZero(maxProperties),
  );
}

function stringType({ format, maxLength, enum: values = [] }: JSONSchemaProps): DeclType {
  switch (format) {
    case "byte":
      return {
        ...declBytes,
        maxElements: maxLength === undefined ? maxText : atLeastZero(maxLength),
      };
    case "duration":
      return { ...declDuration, maxElements: 32 };
    case "date":
      return { ...declTimestamp, maxElements: 12 };
    case "date-time":
      return { ...declTimestamp, maxElements: 32, minSize: 21 };
  }
  // A character takes up to four bytes.
  if (maxLength !== undefined) return { ...declString, maxElements: 4 * atLeastZero(maxLength) };
  if (values.length === 0) return { ...declString, maxElements: maxText };
  const texts = values.filter((value) => typeof value === "string");
  return { ...declString, maxElements: Math.max(0, ...texts.map(byteLength)) };
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
