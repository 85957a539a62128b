import {
  type CelType,
  listType,
  mapType,
  opaqueType,
  structType,
  typeOf,
  typeParameter,
  typeType,
} from "./cel-type.ts";
import { readType } from "./declaration.ts";

/** The type of a name that every environment knows as one: that type is the parameter of it. */
export function findMessage(name: string): CelType | undefined {
  if (isMessage(name)) return typeOf(structType(name));
  return builtIn().get(name);
}

/** Whether a well-known message has this name. */
export function isMessage(name: string): boolean {
  return name in fields;
}

/** The type of a field of a well-known message. */
export function findMessageField(message: string, field: string): CelType | undefined {
  const type = fields[message]?.[field];
  return type === undefined ? undefined : readType(type);
}

let types: ReadonlyMap<string, CelType> | undefined;

function builtIn(): ReadonlyMap<string, CelType> {
  const [a, b] = [typeParameter("A"), typeParameter("B")];
  const simple = ["bool", "bytes", "double", "int", "string", "uint", "net.IP", "net.CIDR"];
  types ??= new Map([
    ...simple.map((name): [string, CelType] => [name, typeOf(readType(name))]),
    ["list", typeOf(listType(a))],
    ["map", typeOf(mapType(a, b))],
    ["null_type", typeOf(readType("null"))],
    ["optional_type", typeOf(opaqueType("optional_type"))],
    ["type", typeOf(typeType)],
  ]);
  return types;
}

const wrapped = (type: string) => ({ value: type });

const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "google.protobuf.Any": { type_url: "string", value: "bytes" },
  "google.protobuf.BoolValue": wrapped("bool"),
  "google.protobuf.BytesValue": wrapped("bytes"),
  "google.protobuf.DoubleValue": wrapped("double"),
  "google.protobuf.Duration": { seconds: "int", nanos: "int" },
  "google.protobuf.Empty": {},
  "google.protobuf.FloatValue": wrapped("double"),
  "google.protobuf.Int32Value": wrapped("int"),
  "google.protobuf.Int64Value": wrapped("int"),
  "google.protobuf.ListValue": { values: "list(dyn)" },
  "google.protobuf.StringValue": wrapped("string"),
  "google.protobuf.Struct": { fields: "map(string, dyn)" },
  "google.protobuf.Timestamp": { seconds: "int", nanos: "int" },
  "google.protobuf.UInt32Value": wrapped("uint"),
  "google.protobuf.UInt64Value": wrapped("uint"),
  "google.protobuf.Value": {
    null_value: "null",
    number_value: "double",
    string_value: "string",
    bool_value: "bool",
    struct_value: "map(string, dyn)",
    list_value: "list(dyn)",
  },
};
