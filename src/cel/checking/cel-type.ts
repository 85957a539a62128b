/** A type of values. */
export interface CelType {
  readonly kind: TypeKind;
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** Whether null may stand for a value of it. */
  readonly nullable?: true;
}

export type TypeKind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "parameter"
  | "uint"
  | "unspecified";

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, parameters: [] });

export const anyType = simple("any", "google.protobuf.Any");
export const boolType = simple("bool");
export const bytesType = simple("bytes");
export const doubleType = simple("double");
export const durationType = simple("duration", "google.protobuf.Duration");
export const dynType = simple("dyn");
/** The type of a field that a type has only because it has every field. */
export const unspecifiedType = simple("unspecified", "");
/** The type of what has none, because something is wrong with it. */
export const errorType = simple("error");
export const intType = simple("int");
export const nullType = simple("null", "null_type");
export const stringType = simple("string");
export const timestampType = simple("timestamp", "google.protobuf.Timestamp");
export const typeType = simple("type");
export const uintType = simple("uint");

export const listType = (element: CelType): CelType => ({
  kind: "list",
  name: "list",
  parameters: [element],
});
export const mapType = (key: CelType, value: CelType): CelType => ({
  kind: "map",
  name: "map",
  parameters: [key, value],
});
export const opaqueType = (name: string, ...parameters: CelType[]): CelType => ({
  kind: "opaque",
  name,
  parameters,
});
/** The type of values that may be missing. */
export const optionalType = (value: CelType): CelType => opaqueType("optional_type", value);
/** A type that stands for others, those that a call gives it. */
export const typeParameter = (name: string): CelType => simple("parameter", name);
/** The type of a type. */
export const typeOf = (type: CelType): CelType => ({
  kind: "type",
  name: "type",
  parameters: [type],
});
/** A type with fields; the names of the well-known ones mean those. */
export const structType = (name: string): CelType => wellKnown[name] ?? simple("struct", name);

const nullable = (type: CelType): CelType => ({ ...type, nullable: true });

const wellKnown: Readonly<Record<string, CelType>> = {
  "google.protobuf.BoolValue": nullable(boolType),
  "google.protobuf.BytesValue": nullable(bytesType),
  "google.protobuf.DoubleValue": nullable(doubleType),
  "google.protobuf.FloatValue": nullable(doubleType),
  "google.protobuf.Int64Value": nullable(intType),
  "google.protobuf.Int32Value": nullable(intType),
  "google.protobuf.UInt64Value": nullable(uintType),
  "google.protobuf.UInt32Value": nullable(uintType),
  "google.protobuf.StringValue": nullable(stringType),
  "google.protobuf.Any": anyType,
  "google.protobuf.Duration": durationType,
  "google.protobuf.Timestamp": timestampType,
  "google.protobuf.ListValue": listType(dynType),
  "google.protobuf.NullValue": nullType,
  "google.protobuf.Struct": mapType(stringType, dynType),
  "google.protobuf.Value": dynType,
};

/** Whether two types are the same; with `parametersAlike` type parameters may differ in name. */
export function isSameType(a: CelType, b: CelType, parametersAlike = false): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false;
  if (!(parametersAlike && a.kind === "parameter") && a.name !== b.name) return false;
  return a.parameters.every((parameter, index) => {
    const other = b.parameters[index];
    return other !== undefined && isSameType(parameter, other, parametersAlike);
  });
}

export const isDyn = ({ kind }: CelType): boolean => kind === "dyn" || kind === "any";
export const isOptional = ({ kind, name }: CelType): boolean =>
  kind === "opaque" && name === "optional_type";

/** The type of the value that may be missing; of another type, that one. */
export function withoutOptional(type: CelType): CelType {
  return isOptional(type) ? (type.parameters[0] ?? dynType) : type;
}

/** Shows a type as messages of the type checker do. */
export function showType(type: CelType): string {
  switch (type.kind) {
    case "any":
      return "any";
    case "duration":
    case "timestamp":
    case "null":
      return type.kind;
    case "error":
      return "!error!";
    case "parameter":
      return type.name;
  }
  if (type.parameters.length === 0) return declaredName(type);
  return `${type.name}(${type.parameters.map(showType).join(", ")})`;
}

/** Shows a type by the names that its values have at run time. */
export function showDeclaredType(type: CelType): string {
  if (type.kind === "parameter") return `<${type.name}>`;
  if (type.parameters.length === 0) return declaredName(type);
  return `${declaredName(type)}(${type.parameters.map(showDeclaredType).join(", ")})`;
}

const declaredName = (type: CelType): string =>
  type.nullable === true ? `wrapper(${type.name})` : type.name;
