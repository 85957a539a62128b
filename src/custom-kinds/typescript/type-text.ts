import {
  additionalOf,
  itemsOf,
  type JsonSchema,
  typesOf,
} from "../../schema/structural/json-schema.ts";

/** `value`: as the server serves it; `input`: as a client may write it, where defaults are absent. */
export type Side = "value" | "input";

/** Declares the interface of an object with named members; returns the name by which it is referred to. */
export type Declare = (name: string, schema: JsonSchema) => string;

export interface TypeTextOptions {
  readonly side: Side;
  /** A name for the interface of the value, if it needs one. */
  readonly name: string;
  readonly declare: Declare;
}

/** The TypeScript type of the values of a schema. */
export function typeText(schema: JsonSchema, options: TypeTextOptions): string {
  const text = plainType(schema, options);
  return schema.nullable && text !== "unknown" ? `${text} | null` : text;
}

function plainType(schema: JsonSchema, options: TypeTextOptions): string {
  if (schema["x-kubernetes-int-or-string"]) return "number | string";
  if (schema["x-kubernetes-embedded-resource"]) return "DynamicObject";
  if (schema.enum && schema.enum.length > 0)
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const types = typesOf(schema);
  if (types.length !== 1) return "unknown";
  switch (types[0]) {
    case "string":
    case "boolean":
      return types[0];
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly ${bracketed(itemType(schema, options))}[]`;
    case "object":
      return objectType(schema, options);
    default:
      return "unknown";
  }
}

const bracketed = (type: string): string => (/[ |]/.test(type) ? `(${type})` : type);

function itemType(schema: JsonSchema, options: TypeTextOptions): string {
  const items = itemsOf<JsonSchema>(schema);
  return items ? typeText(items, { ...options, name: singular(options.name) }) : "unknown";
}

function objectType(schema: JsonSchema, options: TypeTextOptions): string {
  if (Object.keys(schema.properties ?? {}).length > 0) return options.declare(options.name, schema);
  const additional = additionalOf<JsonSchema>(schema);
  if (!additional) return "Readonly<Record<string, unknown>>";
  return `Readonly<Record<string, ${typeText(additional, { ...options, name: singular(options.name) })}>>`;
}

/** `WidgetSpecPort` of `WidgetSpecPorts`. */
const singular = (name: string): string =>
  /ies$/.test(name)
    ? name.replace(/ies$/, "y")
    : /[^s]s$/.test(name)
      ? name.slice(0, -1)
      : `${name}Item`;
