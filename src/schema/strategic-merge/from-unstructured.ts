import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import { type Decoded, DecodeError, decodeNode } from "../json/decode.ts";
import { isMap, isNull, type JsonMap, type ReadonlyJsonMap } from "../json/json-value.ts";
import { parseJson, setMember, stringifyJson } from "../json/strict-json.ts";
import { optional } from "../language/field.ts";
import { keepingEmpty, normalise, zeroOf } from "../language/normalise.ts";
import { type Struct, struct } from "../language/struct.ts";
import { structOf, type Type } from "../language/type.ts";
import { canonicalDuration } from "../values/duration.ts";
import { goType } from "../values/go-print.ts";
import { canonicalQuantity } from "../values/quantity.ts";
import { canonicalMicroTime, canonicalTime } from "../values/time.ts";
import { compareUtf8 } from "../values/utf8-order.ts";

/**
 * Reads a patched document as a struct, as upstream does without going through JSON text: numbers are
 * converted more freely, the errors are others, and they come in the order of the declaration.
 * Throws DecodeError.
 */
export function fromUnstructured(target: Struct, document: ReadonlyJsonMap): Decoded {
  const normalised = normalise(target, document);
  if (normalised && normalised.members === countMembers(document))
    return { value: normalised.value, strict: [] };
  const converter = new Converter();
  const value = keepingEmpty(target, converter.struct(target, document));
  return { value, strict: converter.unknown.toSorted(compareUtf8) };
}

/** How many members all maps in a value have together. */
export function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countMembers(item);
  else for (const name of Object.keys(value)) count += 1 + countMembers((value as JsonMap)[name]);
  return count;
}

/** Walks a document along the declaration, and notes fields that are not declared. */
class Converter {
  readonly unknown: string[] = [];
  /** Names and indices from the root. Keys of maps are not among them, as upstream has it. */
  readonly #path: string[] = [];

  struct(target: Struct, value: unknown): unknown {
    if (!isMap(value)) throw new DecodeError(`cannot restore struct from: ${kindOf(value)}`);
    const out: JsonMap = {};
    for (const [name, { type }] of Object.entries(target.fields)) {
      if (!Object.hasOwn(value, name) || isNull(value[name])) continue;
      out[name] = this.#within(name, () => this.#value(type, value[name]));
    }
    for (const name of Object.keys(value))
      if (!Object.hasOwn(target.fields, name)) this.#within(name, () => this.#mind());
    return out;
  }

  #value(type: Type, value: unknown): unknown {
    if (isNull(value)) return zeroOf(type)();
    switch (type.code) {
      case "struct":
        return this.struct(structOf(type) as Struct, value);
      case "list":
        return this.#list(type.of as Type, value);
      case "map":
        return this.#map(type.of as Type, value);
      default:
        return leaf(type, value);
    }
  }

  #list(of: Type, value: unknown): unknown {
    if (!Array.isArray(value)) throw new DecodeError(`cannot restore slice from ${kindOf(value)}`);
    return value.map((item, i) => this.#within(`[${i}]`, () => this.#value(of, item)));
  }

  #map(of: Type, value: unknown): unknown {
    if (!isMap(value)) throw new DecodeError(`cannot restore map from ${kindOf(value)}`);
    const out: JsonMap = {};
    for (const name of Object.keys(value)) setMember(out, name, this.#value(of, value[name]));
    return out;
  }

  #within<T>(part: string, run: () => T): T {
    this.#path.push(part);
    const result = run();
    this.#path.pop();
    return result;
  }

  #mind(): void {
    const path = this.#path.reduce((all, part) =>
      part.startsWith("[") ? all + part : `${all}.${part}`,
    );
    this.unknown.push(`unknown field "${path}"`);
  }
}

function leaf(type: Type, value: unknown): unknown {
  switch (type.code) {
    case "string":
    case "bool":
    case "int32":
    case "int64":
    case "double":
      return plain(type, value);
    case "bytes":
      return bytes(value);
    case "time":
      return parsed(canonicalTime, text(value));
    case "microTime":
      return parsed(canonicalMicroTime, text(value));
    case "duration":
      return parsed(canonicalDuration, text(value));
    case "quantity":
      return parsed(canonicalQuantity, typeof value === "string" ? value : stringifyJson(value));
    case "intOrString":
      return typeof value === "string" ? value : number32(value);
    case "either":
      return either(type, value);
    default:
      return value;
  }
}

const goKinds = {
  string: "string",
  bool: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
} as const;

/** A value of one of Go's own types. Integers too large for the type are cut off, as Go does. */
function plain(type: Type, value: unknown): unknown {
  const code = type.code as keyof typeof goKinds;
  const from = goType(value);
  const isNumber = from === "int64" || from === "float64";
  if (code === "string" || code === "bool") {
    if (from === goKinds[code]) return value;
    // Go could make a character of an integer, and so has another word for it.
    if (from === "int64" && code === "string")
      throw new DecodeError(`cannot convert int64 to ${type.goType}`);
  } else if (isNumber) {
    if (code === "double") return Number(value);
    if (typeof value === "bigint" || Number.isInteger(value)) return cutOff(code, value as number);
    throw new DecodeError(`cannot convert float64 to ${type.goType}`);
  }
  throw new DecodeError(`unrecognized type: ${goKinds[code]}`);
}

function cutOff(code: "int32" | "int64", value: number | bigint): number {
  if (code === "int32") return Number(BigInt.asIntN(32, BigInt(value)));
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new DecodeError(`json: cannot unmarshal number ${value} into Go value of type int64`);
}

function bytes(value: unknown): string {
  if (typeof value === "string") {
    try {
      return encodeBase64(decodeBase64(value));
    } catch (error) {
      throw new DecodeError(`error decoding from json: ${(error as Error).message}`);
    }
  }
  if (!Array.isArray(value)) throw new DecodeError(`cannot restore slice from ${kindOf(value)}`);
  return encodeBase64(Uint8Array.from(value, octet));
}

function octet(value: unknown): number {
  if (isNull(value)) return 0;
  if (typeof value !== "number") throw new DecodeError("unrecognized type: uint8");
  if (!Number.isInteger(value)) throw new DecodeError("cannot convert float64 to uint8");
  return value;
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new DecodeError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type string`);
}

function number32(value: unknown): number {
  if (typeof value === "number" && (value | 0) === value) return value;
  const number = typeof value === "number" || typeof value === "bigint" ? ` ${value}` : "";
  throw new DecodeError(
    `json: cannot unmarshal ${jsonKind(value)}${number} into Go value of type int32`,
  );
}

/** Types with a reader of their own for JSON are given JSON. */
function either(type: Type, value: unknown): unknown {
  const holder = struct("Either", { value: optional(1, type) });
  const read = decodeNode(holder, parseJson(stringifyJson({ value })));
  return (read.value as { readonly value?: unknown }).value;
}

function parsed<T>(parse: (text: string) => T, value: string): T {
  try {
    return parse(value);
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
}

/** What Go calls the kind of a value of JSON. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  return isMap(value) ? "map" : goType(value);
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
