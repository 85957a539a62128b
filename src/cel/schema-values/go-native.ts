import {
  type CelData,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "../values/cel-value.ts";
import { goTypeOf } from "../values/go-type.ts";
import { Panic } from "../values/panic.ts";
import { showValue } from "../values/show-value.ts";

/**
 * What Go holds in a value of an expression, where that is not JSON. Lists that a schema describes take such
 * values from other lists, and read them by the schema again.
 */
export class GoNative {
  readonly goType: string;
  readonly value: CelValue;

  constructor(goType: string, value: CelValue) {
    this.goType = goType;
    this.value = value;
  }
}

/** A list or map that keeps the JSON that it was made of. */
interface MadeOfJson {
  readonly json?: unknown;
}

/** What Go holds in a value: JSON, or a `GoNative`. */
export function nativeOf(value: CelValue): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      return new GoNative("float64", value);
  }
  if (value === null) return new GoNative("structpb.NullValue", value);
  if (value instanceof Uint8Array) return new GoNative("[]uint8", value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOptional) return value.value === undefined ? null : nativeOf(value.value);
  const { json } = value as MadeOfJson;
  return json ?? new GoNative(nativeType(value), value);
}

function nativeType(value: CelData): string {
  if (value instanceof CelUint) return "uint64";
  if (value instanceof CelDuration) return "time.Duration";
  if (value instanceof CelTimestamp) return "time.Time";
  if (value instanceof CelList) return "[]ref.Val";
  if (value instanceof CelMap) return "map[ref.Val]ref.Val";
  return value instanceof CelError ? "*errors.errorString" : goTypeOf(value);
}

/** The name that Go has for the type of what it holds. */
export function nativeTypeName(native: unknown): string {
  switch (typeof native) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return isInt64(native) ? "int64" : "float64";
  }
  if (native instanceof GoNative) return native.goType;
  return Array.isArray(native) ? "[]interface {}" : "map[string]interface {}";
}

/** Whether Go holds a number of JSON as an integer; one of more than 64 bits it does not. */
export const isInt64 = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;

const unhashable: ReadonlySet<string> = new Set([
  "[]interface {}",
  "map[string]interface {}",
  "[]uint8",
  "[]ref.Val",
  "map[ref.Val]ref.Val",
]);

/** A text that is the same for two values exactly if they are one key of a map in Go; panics as Go does. */
export function hashKey(native: unknown): string {
  if (native === null || native === undefined) return "nil";
  const type = nativeTypeName(native);
  if (unhashable.has(type)) throw new Panic(`runtime error: hash of unhashable type ${type}`);
  const shown = native instanceof GoNative ? showValue(native.value) : String(native);
  return `${type} ${shown}`;
}
