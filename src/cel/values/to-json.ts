import { encodeBase64 } from "../../base/base64.ts";
import { setMember } from "../../schema/json/strict-json.ts";
import { GoValue } from "../../schema/values/go-print.ts";
import { formatTimestamp } from "./calendar.ts";
import {
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  typeNameOf,
} from "./cel-value.ts";
import { convertValue } from "./convert-value.ts";
import { elementsOf } from "./list.ts";
import { entriesOf } from "./map.ts";
import { fitted, NativeError, nativeFields } from "./native-value.ts";

/** A value as JSON, as protobuf's `Value` has it: a whole number that is not exact is a string. Throws NativeError. */
export function toJson(value: CelValue): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return finite(value);
    case "bigint":
      return jsonInteger(value);
  }
  if (value === null) return null;
  if (value instanceof CelUint) return jsonInteger(value.value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return convertValue(value, "string");
  if (value instanceof CelOptional) {
    if (value.value === undefined) throw new NativeError("optional.none() dereference");
    return toJson(value.value);
  }
  if (value instanceof CelList) return elementsOf(value).map(toJson);
  if (value instanceof CelMap) return jsonMap(value);
  if (value instanceof CelObject) return jsonMessage(value);
  if (value instanceof CelTypeValue)
    throw new NativeError("type conversion not supported for 'type'");
  const name = typeNameOf(value).split(".").at(-1);
  throw new NativeError(`type conversion error from '${name}' to '*structpb.Value'`);
}

const jsonInteger = (value: bigint): number | string => {
  const number = fitted(value);
  return typeof number === "number" ? number : `${value}`;
};

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  throw new NativeError(
    `json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid ${name} value`,
  );
}

function jsonMap(map: CelMap): unknown {
  const result: Record<string, unknown> = {};
  for (const [key, value] of entriesOf(map)) {
    if (typeof key !== "string") throw keyError(key);
    setMember(result, key, toJson(value));
  }
  return result;
}

function keyError(key: CelValue): NativeError {
  if (typeof key === "boolean")
    return new NativeError("type conversion error from bool to 'string'");
  return new NativeError(`unsupported type conversion from '${typeNameOf(key)}' to string`);
}

/** Of a message, upstream knows fewer values than elsewhere. */
function jsonMessage(message: CelObject): unknown {
  if (message.typeName === "JSONPatch")
    throw new NativeError("cannot convert to native type: *structpb.Value");
  return structJson(nativeFields(message));
}

function structJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return finite(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof GoValue) {
    if (value.type === "uint64") return Number(value.text);
    throw new NativeError(`proto: invalid type: ${value.type}`);
  }
  if (Array.isArray(value)) return value.map(structJson);
  const result: Record<string, unknown> = {};
  for (const [name, held] of Object.entries(value)) setMember(result, name, structJson(held));
  return result;
}
