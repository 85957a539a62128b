import { isMap, type ReadonlyJsonMap, sameJson } from "../../schema/json/json-value.ts";
import {
  additionalOf,
  itemsOf,
  type JsonSchema,
  propertyOf,
} from "../../schema/structural/json-schema.ts";
import { escapeName } from "../syntax/escape.ts";
import { CelError, CelOpaque, type CelValue } from "../values/cel-value.ts";
import { GoNative, isInt64, nativeOf, nativeTypeName } from "./go-native.ts";
import { textReader } from "./read-text.ts";
import { withResourceFields } from "./resource-schema.ts";
import { SchemaKeyedList, SchemaList, SchemaSet } from "./schema-list.ts";
import { type MemberShape, SchemaMap } from "./schema-map.ts";

/** Makes JSON the value that expressions see, as its schema describes it; an error where it does not fit. */
export type ReadSchemaValue = (json: unknown) => CelValue;

const readers = new WeakMap<JsonSchema, ReadSchemaValue>();

/** The reader of values of a schema; made once, and for parts of the schema when they are first read. */
export function schemaValueReader(schema: JsonSchema): ReadSchemaValue {
  let reader = readers.get(schema);
  if (reader === undefined) {
    const read = readerOf(schema);
    const nothing = schema.nullable ? null : notNullable;
    reader = (json) => (json === null || json === undefined ? nothing : read(json));
    readers.set(schema, reader);
  }
  return reader;
}

const notNullable = new CelError("invalid data, got null for schema with nullable=false");

function readerOf(schema: JsonSchema): ReadSchemaValue {
  if (schema["x-kubernetes-int-or-string"]) return readIntOrString;
  switch (schema.type) {
    case "object":
      return objectReader(schema);
    case "array":
      return listReader(schema);
    case "string":
      return textReader(schema.format ?? "");
    case "number":
      return readNumber;
    case "integer":
      return readInteger;
    case "boolean":
      return (json) =>
        typeof json === "boolean"
          ? json
          : new CelError(`invalid data, expected bool, got ${nativeTypeName(json)}`);
  }
  if (schema["x-kubernetes-preserve-unknown-fields"]) return (json) => new PreservedValue(json);
  const fault = new CelError(
    `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ""}`,
  );
  return () => fault;
}

function readIntOrString(json: unknown): CelValue {
  if (typeof json === "string" || typeof json === "bigint") return json;
  return typeof json === "number" && isInt64(json) ? BigInt(json) : neither;
}

const neither = new CelError(
  "invalid data, expected XIntOrString value to be either a string or integer",
);

function readInteger(json: unknown): CelValue {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && isInt64(json)
    ? BigInt(json)
    : new CelError(`invalid data, expected int, got ${nativeTypeName(json)}`);
}

function readNumber(json: unknown): CelValue {
  if (typeof json === "number") return json;
  if (typeof json === "bigint") return Number(json);
  return json instanceof GoNative && typeof json.value === "number"
    ? json.value
    : new CelError(`invalid data, expected float, got ${nativeTypeName(json)}`);
}

const noMap = new CelError("invalid data, expected a map for the provided schema with type=object");

function objectReader(schema: JsonSchema): ReadSchemaValue {
  const shape = memberShape(schema);
  return (json) =>
    isMap(json) && !(json instanceof GoNative)
      ? new SchemaMap(json as ReadonlyJsonMap, shape)
      : noMap;
}

function memberShape(schema: JsonSchema): MemberShape {
  const own = schema["x-kubernetes-embedded-resource"] ? withResourceFields(schema) : schema;
  if (Object.keys(own.properties ?? {}).length > 0) {
    return {
      isNamed: true,
      readerOf: (name) => {
        const property = propertyOf<JsonSchema>(own, name);
        return property && schemaValueReader(property);
      },
    };
  }
  const additional = additionalOf<JsonSchema>(own);
  return {
    isNamed: false,
    readerOf: () => additional && schemaValueReader(additional),
  };
}

const noArray = new CelError(
  "invalid data, expected an array for the provided schema with type=array",
);
const noItems = new CelError("invalid array type, expected Items with a non-empty Schema");

function listReader(schema: JsonSchema): ReadSchemaValue {
  const items = itemsOf<JsonSchema>(schema);
  if (items === undefined) return (json) => (Array.isArray(json) ? noItems : noArray);
  const make = listMaker(schema, (json) => schemaValueReader(items)(json));
  return (json) => (Array.isArray(json) ? make(json) : noArray);
}

function listMaker(
  schema: JsonSchema,
  read: ReadSchemaValue,
): (json: readonly unknown[]) => CelValue {
  const type = schema["x-kubernetes-list-type"] ?? "";
  switch (type) {
    case "":
    case "atomic":
      return (json) => new SchemaList(json, read);
    case "set":
      return (json) => new SchemaSet(json, read);
    case "map": {
      const keys = schema["x-kubernetes-list-map-keys"] ?? [];
      const names = keys.map((name) => escapeName(name) ?? name);
      return (json) => new SchemaKeyedList(json, read, names);
    }
  }
  const fault = new CelError(
    `invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got ${type}`,
  );
  return () => fault;
}

/** A value that no schema describes: it can be compared, and no more. */
class PreservedValue extends CelOpaque {
  override readonly typeName = "unknown";
  override readonly goType = "*common.unknownPreserved";
  readonly json: unknown;

  constructor(json: unknown) {
    super();
    this.json = json;
  }

  override equals(other: CelValue): boolean {
    return sameJson(this.json, nativeOf(other));
  }

  override toString(): string {
    return String(this.json);
  }
}
