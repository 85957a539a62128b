import { decodeBase64 } from "../../../base/base64.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { goString, goText } from "../../../schema/values/go-print.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import { goPrint, goPrintf, goPrintln } from "./go-printf.ts";
import {
  basicKind,
  bytesOf,
  concrete,
  GoNumber,
  goInt,
  held,
  isGoMap,
  isInteger,
  isTrue,
  numeric,
  opened,
  type Place,
  placeType,
  textOf,
  typeName,
} from "./go-value.ts";
import { htmlEscaped, jsEscaped, queryEscaped } from "./text-escapes.ts";

/** What a parameter takes: a place as it is, or a string. */
export type ParameterType = "value" | "any" | "string";

export interface TemplateFunction {
  readonly parameters: readonly ParameterType[];
  /** The type of all further arguments, if it takes any number. */
  readonly rest?: ParameterType;
  /** Throws an Error with Go's words. `name` is the first argument as it is written. */
  call(args: readonly (Place | undefined)[], name: string): Place | undefined;
}

/** Functions that decide themselves which arguments are evaluated. */
const shortCircuit = (): never => {
  throw new Error("and, or are evaluated argument by argument");
};

const functions: Readonly<Record<string, TemplateFunction>> = {
  and: { parameters: ["value"], rest: "value", call: shortCircuit },
  or: { parameters: ["value"], rest: "value", call: shortCircuit },
  not: { parameters: ["value"], call: ([arg]) => concrete(!isTrue(opened(arg))) },
  len: { parameters: ["value"], call: ([item]) => length(item) },
  index: { parameters: ["value"], rest: "value", call: ([item, ...keys]) => index(item, keys) },
  slice: { parameters: ["value"], rest: "value", call: ([item, ...keys]) => slice(item, keys) },
  call: { parameters: ["value"], rest: "value", call: ([item], name) => call(item, name) },
  print: textFunction((args) => goPrint(args)),
  println: textFunction((args) => goPrintln(args)),
  printf: {
    parameters: ["string"],
    rest: "any",
    call: ([format, ...args]) => concrete(goPrintf(format?.value as string, values(args))),
  },
  html: textFunction((args) => htmlEscaped(printable(args))),
  js: textFunction((args) => jsEscaped(printable(args))),
  urlquery: textFunction((args) => queryEscaped(printable(args))),
  eq: { parameters: ["value"], rest: "value", call: (args) => concrete(equals(args)) },
  ne: comparison((a, b) => !equals([a, b])),
  lt: comparison((a, b) => isLess(a, b)),
  le: comparison((a, b) => isLess(a, b) || equals([a, b])),
  gt: comparison((a, b) => !(isLess(a, b) || equals([a, b]))),
  ge: comparison((a, b) => !isLess(a, b)),
  exists: { parameters: ["any"], rest: "any", call: ([item, ...keys]) => exists(item, keys) },
  base64decode: { parameters: ["string"], call: ([text]) => base64decode(text) },
};

export const functionNames: ReadonlySet<string> = new Set(Object.keys(functions));

export function templateFunction(name: string): TemplateFunction {
  const found = functions[name];
  if (!found) throw new Error(`function ${name} is not defined`);
  return found;
}

const values = (args: readonly (Place | undefined)[]): unknown[] => args.map((arg) => arg?.value);

function textFunction(write: (args: readonly unknown[]) => string): TemplateFunction {
  return { parameters: [], rest: "any", call: (args) => concrete(write(values(args))) };
}

function comparison(
  holds: (a: Place | undefined, b: Place | undefined) => boolean,
): TemplateFunction {
  return { parameters: ["value", "value"], call: ([a, b]) => concrete(holds(a, b)) };
}

/** The text of arguments that is to be escaped. */
function printable(args: readonly unknown[]): string {
  return goPrint(args.map((arg) => arg ?? "<no value>"));
}

function length(item: Place | undefined): Place {
  if (!item) throw new Error("reflect: call of reflect.Value.Type on zero Value");
  const { value } = item;
  if (value === null) throw new Error("len of nil pointer");
  if (typeof value === "string") return goInt(bytesOf(value).length);
  if (Array.isArray(value)) return goInt(value.length);
  if (isGoMap(value)) return goInt(Object.keys(value).length);
  throw new Error(`len of type ${typeName(value)}`);
}

function index(item: Place | undefined, keys: readonly (Place | undefined)[]): Place {
  let place = opened(item);
  if (!place) throw new Error("index of untyped nil");
  for (const key of keys.map(opened)) {
    const { value }: Place = place;
    if (value === null) throw new Error("index of nil pointer");
    if (Array.isArray(value) || typeof value === "string") place = itemAt(value, key);
    else if (isGoMap(value)) place = memberAt(value, key);
    else throw new Error(`can't index item of type ${typeName(value)}`);
  }
  return place;
}

function itemAt(list: readonly unknown[] | string, key: Place | undefined): Place {
  const items = typeof list === "string" ? bytesOf(list) : list;
  const at = position(key, items.length);
  const kind = typeof list === "string" ? "string" : "slice";
  if (at === items.length) throw new Error(`reflect: ${kind} index out of range`);
  return typeof list === "string"
    ? concrete(new GoNumber("uint8", items[at] as number))
    : held(items[at]);
}

function memberAt(map: Readonly<Record<string, unknown>>, key: Place | undefined): Place {
  if (!key) throw new Error("value is nil; should be of type string");
  if (typeof key.value !== "string")
    throw new Error(`value has type ${typeName(key.value)}; should be string`);
  return held(Object.hasOwn(map, key.value) ? map[key.value] : null);
}

/** A position within a list, or right behind it. */
function position(key: Place | undefined, size: number): number {
  if (!key) throw new Error("cannot index slice/array with nil");
  if (key.isAny || !isInteger(key.value))
    throw new Error(`cannot index slice/array with type ${placeType(key)}`);
  const at = numeric(key.value);
  if (at < 0 || at > size) throw new Error(`index out of range: ${at}`);
  return Number(at);
}

function slice(item: Place | undefined, keys: readonly (Place | undefined)[]): Place {
  const place = opened(item);
  if (!place) throw new Error("slice of untyped nil");
  if (keys.length > 3) throw new Error(`too many slice indexes: ${keys.length}`);
  const { value } = place;
  if (typeof value === "string" && keys.length === 3)
    throw new Error("cannot 3-index slice a string");
  if (typeof value !== "string" && !Array.isArray(value))
    throw new Error(`can't slice item of type ${typeName(value)}`);
  const items = typeof value === "string" ? bytesOf(value) : value;
  const [from = 0, to = items.length, most = items.length] = keys.map((key) =>
    position(key, items.length),
  );
  if (from > to) throw new Error(`invalid slice index: ${from} > ${to}`);
  if (to > most) throw new Error(`invalid slice index: ${to} > ${most}`);
  const part = items.slice(from, to);
  return concrete(part instanceof Uint8Array ? textOf(part) : part);
}

function call(item: Place | undefined, name: string): never {
  const place = opened(item);
  if (!place) throw new Error("call of nil");
  throw new Error(`non-function ${name} of type ${typeName(place.value)}`);
}

function equals([first, ...others]: readonly (Place | undefined)[]): boolean {
  if (others.length === 0) throw new Error("missing argument for comparison");
  const a = opened(first);
  return others.some((other) => isEqual(a, opened(other)));
}

function isEqual(a: Place | undefined, b: Place | undefined): boolean {
  const kinds = [basicKind(a), basicKind(b)];
  if (kinds[0] !== kinds[1]) {
    if (!a || !b) return false;
    if (isInteger(a.value) && isInteger(b.value))
      return BigInt(numeric(a.value)) === BigInt(numeric(b.value));
    throw incompatible(a, b);
  }
  if (!a || !b) return a === b;
  if (kinds[0] === undefined) return incomparable(a.value, b.value);
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint may equal a number
  return plain(a.value) == plain(b.value);
}

function incomparable(a: unknown, b: unknown): never {
  if (Array.isArray(a) !== Array.isArray(b))
    throw new Error(
      `non-comparable types ${goText(a)}: ${typeName(a)}, ${typeName(b)}: ${goString(b)}`,
    );
  throw new Error(`non-comparable type ${goText(b)}: ${typeName(b)}`);
}

const incompatible = (a: Place, b: Place): Error =>
  new Error(`incompatible types for comparison: ${typeName(a.value)} and ${typeName(b.value)}`);

const plain = (value: unknown): unknown => (value instanceof GoNumber ? value.value : value);

function isLess(first: Place | undefined, second: Place | undefined): boolean {
  const [a, b] = [opened(first), opened(second)];
  const kinds = [basicKind(a), basicKind(b)];
  if (!a || !b || kinds[0] === undefined || kinds[1] === undefined)
    throw new Error("invalid type for comparison");
  if (kinds[0] !== kinds[1] && !(isInteger(a.value) && isInteger(b.value)))
    throw incompatible(a, b);
  if (kinds[0] === "bool") throw new Error("invalid type for comparison");
  if (typeof a.value === "string" && typeof b.value === "string")
    return compareUtf8(a.value, b.value) < 0;
  return numeric(a.value) < numeric(b.value);
}

function exists(item: Place | undefined, keys: readonly (Place | undefined)[]): Place {
  // Upstream asks only what keys lead to: without keys, even nil exists.
  if (keys.length === 0) return concrete(true);
  let value: unknown = item?.value ?? null;
  for (const key of keys) value = stepInto(value, key?.value);
  return concrete(value !== null);
}

/** What a key leads to; null for nothing. */
function stepInto(value: unknown, key: unknown): unknown {
  if (typeof value === "string" || Array.isArray(value)) {
    const items = typeof value === "string" ? bytesOf(value) : value;
    return isInteger(key) ? (items[Number(numeric(key))] ?? null) : null;
  }
  const name = key ?? "";
  if (!isGoMap(value) || typeof name !== "string") return null;
  return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

function base64decode(text: Place | undefined): Place {
  try {
    return concrete(textOf(decodeBase64(text?.value as string)));
  } catch (error) {
    throw new Error(`base64 decode failed: ${errorMessage(error)}`, { cause: error });
  }
}
