import { isMap } from "../json/json-value.ts";
import type { ListKind } from "../language/field.ts";
import {
  deducedShape,
  type FieldShape,
  type ListShape,
  type MapShape,
  type Shape,
  untypedShape,
} from "../language/shape.ts";
import { additionalOf, itemsOf, type JsonSchema, typesOf } from "./json-schema.ts";

/** What the shape of a schema depends on beside it. */
export interface ShapeOptions {
  /** The shape of the metadata of objects. */
  readonly metadata: Shape;
  /** Whether members that have no schema are kept everywhere. */
  readonly preservesUnknown: boolean;
}

/**
 * The shape of objects of the API that a schema describes. Undefined: nothing is known of them, as
 * the schema says something that apply cannot use.
 */
export function resourceShape(
  schema: JsonSchema | undefined,
  options: ShapeOptions,
): Shape | undefined {
  try {
    const root = shapeOfSchema(schema ?? { type: "object" }, options);
    if (!schema || !root.map) return root;
    const fields = new Map([...root.map.fields, ...metaShapes(options)]);
    return { ...root, map: { ...root.map, fields, items: unknownMembers(schema, options, 1) } };
  } catch (error) {
    if (error instanceof UnusableSchema) return undefined;
    throw error;
  }
}

/** The shape of the values that a schema describes. */
export function shapeOfSchema(schema: JsonSchema, options: ShapeOptions): Shape {
  const inner = schema["x-kubernetes-preserve-unknown-fields"]
    ? { ...options, preservesUnknown: true }
    : options;
  const [type = ""] = schema["x-kubernetes-int-or-string"] ? [] : typesOf(schema);
  switch (type) {
    case "":
      return { scalar: "untyped", list: listShape(schema, inner), map: mapShape(schema, inner) };
    case "object":
      return { map: mapShape(schema, inner) };
    case "array":
      return { list: listShape(schema, inner) };
    case "boolean":
      return { scalar: "boolean" };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "string":
      return { scalar: ["", "byte"].includes(schema.format ?? "") ? "string" : "untyped" };
    default:
      throw new UnusableSchema();
  }
}

class UnusableSchema extends Error {}

const text: FieldShape = { shape: { scalar: "string" } };
const metaShapes = ({ metadata }: ShapeOptions): readonly (readonly [string, FieldShape])[] => [
  ["apiVersion", text],
  ["kind", text],
  ["metadata", { shape: metadata }],
];

function mapShape(schema: JsonSchema, options: ShapeOptions): MapShape {
  const properties = Object.entries(schema.properties ?? {});
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const fields = new Map<string, FieldShape>(
    properties.map(([name, property]) => [
      name,
      { shape: shapeOfSchema(property, options), preset: property.default ?? undefined },
    ]),
  );
  if (isResource) for (const [name, shape] of metaShapes(options)) fields.set(name, shape);
  return {
    isAtomic: schema["x-kubernetes-map-type"] === "atomic",
    fields,
    items: unknownMembers(schema, options, isResource ? 1 : properties.length),
  };
}

/** The shape of members without a name in the schema: an object of which none is named may have any. */
function unknownMembers(
  schema: JsonSchema,
  options: ShapeOptions,
  named: number,
): Shape | undefined {
  const { additionalProperties } = schema;
  const preserves =
    options.preservesUnknown || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (additionalProperties === undefined)
    return preserves || named === 0 ? deducedShape : undefined;
  const inner = additionalOf(schema);
  if (inner) return shapeOfSchema(inner, { ...options, preservesUnknown: preserves });
  return additionalProperties === true ? deducedShape : undefined;
}

function listShape(schema: JsonSchema, options: ShapeOptions): ListShape {
  const type = schema["x-kubernetes-list-type"] ?? "atomic";
  if (!listKinds.has(type)) throw new UnusableSchema();
  const keys = schema["x-kubernetes-list-map-keys"];
  if (type === "map" && !keys) throw new UnusableSchema();
  const items = itemsOf(schema);
  if (!items && (isMap(schema.items) || typesOf(schema).length > 0)) throw new UnusableSchema();
  return {
    kind: type as ListKind,
    keys: type === "map" ? (keys ?? []) : [],
    items: items ? shapeOfSchema(items, options) : untypedShape,
  };
}

const listKinds: ReadonlySet<string> = new Set(["atomic", "set", "map"]);
