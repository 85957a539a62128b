import type { Struct } from "./struct.ts";

/** How a value is written: in JSON, in protobuf, in OpenAPI. */
export type TypeCode =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "time"
  | "microTime"
  | "duration"
  | "quantity"
  | "intOrString"
  | "raw"
  | "fieldsV1"
  | "json"
  | "either"
  | "struct"
  | "list"
  | "map";

/**
 * The type of a field, or of the items of a list or map. `T` is the value as it is stored and
 * served, `I` what a client may write.
 */
export interface Type<T = unknown, I = T> {
  readonly $value?: T;
  readonly $input?: I;
  readonly code: TypeCode;
  /** What Go calls it; shown in decoding errors. */
  readonly goType: string;
  /** Of a list or map: the type of its items. */
  readonly of?: Type;
  /** Of a struct: which. A function where two structs name each other. */
  readonly struct?: Struct | (() => Struct);
  /** Of a struct that may also be written in another shape. */
  readonly either?: Either;
  /** Of a list that is a message of its own in protobuf, with its items under number 1. */
  readonly wrapped?: true;
  /** Of a map whose keys have a named string type: its name. */
  readonly goKey?: string;
}

/**
 * What a value is when it is no object, where JSON has two shapes: a boolean or a list. In protobuf it
 * is a message with a field for each; beside an object, a boolean is true. No rules and defaults are
 * run in it.
 */
export interface Either {
  /** Its name in OpenAPI. */
  readonly name: string;
  /** The number of the object in protobuf. */
  readonly objectTag: number;
  readonly other: Type;
  readonly otherTag: number;
  /** What is said of a value that is neither; without it, such a value counts as none. */
  readonly error?: string;
}

const leaf = <T, I = T>(code: TypeCode, goType: string): Type<T, I> => ({ code, goType });

export const stringType: Type<string> = leaf("string", "string");
export const boolType: Type<boolean> = leaf("bool", "bool");
export const int32Type: Type<number> = leaf("int32", "int32");
export const int64Type: Type<number> = leaf("int64", "int64");
export const doubleType: Type<number> = leaf("double", "float64");
export const bytesType: Type<string> = leaf("bytes", "[]uint8");
export const timeType: Type<string> = leaf("time", "v1.Time");
export const microTimeType: Type<string> = leaf("microTime", "v1.MicroTime");
export const durationType: Type<string> = leaf("duration", "v1.Duration");
export const quantityType: Type<string, string | number> = leaf("quantity", "resource.Quantity");
export const intOrStringType: Type<number | string> = leaf("intOrString", "intstr.IntOrString");
export const rawType: Type<unknown> = leaf("raw", "runtime.RawExtension");
export const fieldsType: Type<unknown> = leaf("fieldsV1", "v1.FieldsV1");

/** Any JSON value, its members in the order of their names. */
export const jsonType: Type<unknown> = leaf("json", "v1.JSON");

/** A string with a name of its own in Go. */
export const namedString = <V extends string = string>(goType: string): Type<V> => ({
  code: "string",
  goType,
});

export const structType = <T, I>(struct: Struct<T, I> | (() => Struct<T, I>)): Type<T, I> => ({
  code: "struct",
  get goType() {
    return structOf(this)?.goName ?? "";
  },
  struct: struct as Struct | (() => Struct),
});

/** A struct or, in another shape of JSON, something else. */
export const eitherType = <T, I, U, V>(
  struct: () => Struct<T, I>,
  other: Type<U, V>,
  either: Omit<Either, "other">,
): Type<T | U, I | V> => ({
  code: "either",
  goType: either.name.split(".").slice(-2).join("."),
  struct: struct as () => Struct,
  either: { ...either, other },
});

export const listType = <T, I>(of: Type<T, I>): Type<readonly T[], readonly I[]> => ({
  code: "list",
  get goType() {
    return `[]${of.goType}`;
  },
  of,
});

/** A list with a name of its own in Go, which protobuf wraps in a message. */
export const wrappedListType = <T, I>(
  of: Type<T, I>,
  goType: string,
): Type<readonly T[], readonly I[]> => ({ code: "list", goType, of, wrapped: true });

export const mapType = <T, I>(
  of: Type<T, I>,
  goKey = "string",
): Type<Readonly<Record<string, T>>, Readonly<Record<string, I>>> => ({
  code: "map",
  get goType() {
    return `map[${goKey}]${of.goType}`;
  },
  of,
  goKey,
});

/** The struct of a struct type. */
export function structOf(type: Type): Struct | undefined {
  const { struct } = type;
  return typeof struct === "function" ? struct() : struct;
}
