import { setMember } from "../../schema/json/strict-json.ts";
import { GoValue } from "../../schema/values/go-print.ts";
import { quote } from "../../schema/values/quote.ts";
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
} from "./cel-value.ts";
import { goTypeOf } from "./go-type.ts";
import { jsonBehind } from "./json-value.ts";
import { elementsOf, JoinedList } from "./list.ts";
import { entriesOf } from "./map.ts";
import { showValue } from "./show-value.ts";

/** A value that cannot become JSON. */
export class NativeError extends Error {
  override readonly name = "NativeError";
}

/**
 * A value as upstream holds it once it has left the expression: JSON, or a GoValue where upstream keeps a type of its
 * own. Literals within literals stay such, unless they are fields of messages.
 */
export function nativeValue(value: CelValue): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return value;
    case "bigint":
      return fitted(value);
  }
  if (value === null) return new GoValue("structpb.NullValue", "NULL_VALUE", "0");
  if (value instanceof CelObject) return nativeMessage(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOptional)
    return value.value === undefined ? null : nativeValue(value.value);
  const json = jsonBehind(value);
  if (json !== undefined) return json;
  if (value instanceof JoinedList) return elementsOf(value).map(nativeValue);
  return goValue(value);
}

/** The fields of a message as JSON; throws NativeError. */
export function nativeFields({ fields }: CelObject): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of fields) setMember(result, name, nativeField(name, value));
  return result;
}

/** A whole number as a number, as far as that is exact. */
export function fitted(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** An error is the value of its message: upstream finds only later that it is none. */
function nativeMessage(message: CelObject): unknown {
  try {
    return nativeFields(message);
  } catch (error) {
    if (error instanceof NativeError) return new GoValue("*types.Err", error.message);
    throw error;
  }
}

/** A list or a map that is a field becomes one of JSON, though not what is in it. */
function nativeField(name: string, value: CelValue): unknown {
  const isLiteral = value instanceof CelList || value instanceof CelMap;
  if (!isLiteral || jsonBehind(value) !== undefined) return nativeValue(value);
  if (value instanceof CelList) return elementsOf(value).map(nativeValue);
  const result: Record<string, unknown> = {};
  for (const [key, held] of entriesOf(value)) {
    if (typeof key !== "string")
      throw new NativeError(
        `fail to convert field ${quote(name)}: map key ${quotedKey(key)} is of type ${goTypeOf(key)}, not string`,
      );
    setMember(result, key, nativeValue(held));
  }
  return result;
}

/** A key as Go prints it with %q: a number is a character. */
function quotedKey(key: CelValue): string {
  if (typeof key !== "bigint") return `%!q(${goTypeOf(key)}=${showValue(key)})`;
  const isCharacter = key >= 0n && key <= 0x10ffffn;
  return `'${quote(String.fromCodePoint(isCharacter ? Number(key) : 0xfffd)).slice(1, -1)}'`;
}

function goValue(value: CelValue): GoValue {
  const text = showValue(value);
  if (value instanceof CelUint) return new GoValue("uint64", text, `0x${value.value.toString(16)}`);
  if (value instanceof CelDuration) return new GoValue("time.Duration", text, `${value.nanos}`);
  if (value instanceof CelTimestamp) return new GoValue("time.Time", text);
  if (value instanceof Uint8Array) {
    const bytes = [...value].map((byte) => `0x${byte.toString(16)}`);
    return new GoValue("[]uint8", text, `[]uint8{${bytes.join(", ")}}`);
  }
  if (value instanceof CelList) return new GoValue("[]ref.Val", printed(value));
  if (value instanceof CelMap) return new GoValue("map[ref.Val]ref.Val", printed(value));
  return new GoValue(goTypeOf(value), text);
}

/** A literal as Go prints it. */
function printed(value: CelValue): string {
  if (value instanceof CelList) return `[${elementsOf(value).map(printed).join(" ")}]`;
  if (!(value instanceof CelMap)) return showValue(value);
  const entries = entriesOf(value).map(([key, held]) => `${showValue(key)}:${printed(held)}`);
  return `map[${entries.sort().join(" ")}]`;
}
