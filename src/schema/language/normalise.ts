import { canonicalBase64 } from "../../base/base64.ts";
import { type Replaceable, replaceable } from "../generated-code/generate.ts";
import {
  generateNormaliser,
  type Normaliser,
  type Normalising,
} from "../generated-code/normalise-source.ts";
import { maxKeptDepth, setMember } from "../json/strict-json.ts";
import { canonicalDuration } from "../values/duration.ts";
import { quantityFromJson } from "../values/quantity.ts";
import { canonicalMicroTime, canonicalTime } from "../values/time.ts";
import { compareUtf8 } from "../values/utf8-order.ts";
import type { Field, Zero } from "./field.ts";
import { noteKey } from "./index-keys.ts";
import type { Struct } from "./struct.ts";
import { type Either, structOf, type Type } from "./type.ts";

/**
 * Values as Go would write them after reading: fields in the order of their declaration, zero values
 * left out or filled in as each field says, quantities and times in canonical form, maps in the order
 * of their keys.
 *
 * This is the fast way, for input that is right: whatever is not is answered with `undefined`, and
 * the caller finds out what it is on the slow way (`decodeNode`).
 */
export function normalise<T>(struct: Struct<T>, value: unknown): Normalised<T> | undefined {
  count.members = 0;
  isCounting = true;
  try {
    const normalised = keepingEmpty(struct, value) as T;
    return { value: normalised, members: count.members };
  } catch (fault) {
    if (fault === odd) return undefined;
    throw fault;
  } finally {
    isCounting = false;
  }
}

/**
 * The same for an object that is still to be validated, whatever is in it: what a client wrote as an
 * empty list or map is still there, as rules may tell it from none.
 */
export function keepingEmpty(struct: Struct, value: unknown): unknown {
  return keeping("all", struct, value);
}

/**
 * A value that is as declared, as Go has it in memory: in canonical form, but an empty list that is
 * always written differs from none.
 */
export function inMemory(struct: Struct, value: unknown): unknown {
  return keeping("always", struct, value);
}

function keeping(which: "always" | "all", struct: Struct, value: unknown): unknown {
  kept = which;
  try {
    return run(struct, value);
  } finally {
    kept = "none";
  }
}

/** A value that is as declared, in its canonical form; parts that have it already are not copied. */
export function canonicalise(struct: Struct, value: unknown): unknown {
  try {
    return run(struct, value);
  } catch (fault) {
    if (fault === odd) throw new Error(`a ${struct.shortName} is not as declared`);
    throw fault;
  }
}

function run(struct: Struct, value: unknown): unknown {
  const base = top;
  try {
    return structNormaliser(struct).run(value);
  } finally {
    top = base;
  }
}

export interface Normalised<T> {
  readonly value: T;
  /** How many members of objects were recognised: fewer than there are means unknown fields. */
  readonly members: number;
}

/** Thrown, without cost of a stack, at the first value that is not as declared. */
const odd = new Error("not as declared");
const count = { members: 0 };
/** Whether members are to be counted: what is no input any more has been looked through before. */
let isCounting = false;
let kept: "none" | "always" | "all" = "none";

const structs = new WeakMap<Struct, Replaceable<Normaliser>>();

/** The function that puts values of a struct in order; made on first use. */
function structNormaliser(struct: Struct): Replaceable<Normaliser> {
  let normaliser = structs.get(struct);
  if (!normaliser) {
    normaliser = replaceable(compileStruct(struct), () => generateNormaliser(struct, parts));
    structs.set(struct, normaliser);
  }
  return normaliser;
}

const parts: Normalising = {
  odd,
  count,
  valueOf: fieldNormaliser,
  absentOf: whenAbsent,
  ofStruct: structNormaliser,
};

function compileStruct(struct: Struct): Normaliser {
  const names = Object.keys(struct.fields);
  const fields = Object.values(struct.fields);
  const indices = new Map(names.map((name, i) => [name, i]));
  /** Fields that are written even if the client left them out. */
  const always = fields.flatMap(({ zero }, i) => (zero === "always" || zero === "null" ? [i] : []));
  /** What becomes of each field. Made on first use, not before: structs may hold themselves. */
  let values: Normaliser[] | undefined;
  return (input) => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) throw odd;
    values ??= fields.map(completeNormaliser);
    const given = input as Record<string, unknown>;
    const base = top;
    let same = pushFields(indices, given);
    if (pushAlways(always, names, given)) same = false;
    const end = top;
    if (!sortOrder(base, end)) same = false;
    for (let k = base; k < end; k++) {
      const i = order[k] as number;
      const before = given[names[i] as string];
      const value = (values[i] as Normaliser)(before);
      if (value !== before || value === undefined) same = false;
      results[k] = value;
    }
    top = base;
    // What is in order already need not be made again.
    return same ? input : takeResults(names, base, end);
  };
}

/** What a field's value becomes, whether it is given or not. */
function completeNormaliser(field: Field): Normaliser {
  const normaliser = fieldNormaliser(field);
  const absent = whenAbsent(field);
  return (given) => {
    if (given === undefined) return absent();
    count.members++;
    const value = given === null ? undefined : normaliser(given);
    return value === undefined ? absent() : value;
  };
}

/** Puts fields that are always written on the stack, where they are not given; true if there are any. */
function pushAlways(
  always: readonly number[],
  names: readonly string[],
  given: Record<string, unknown>,
): boolean {
  const before = top;
  for (let k = 0; k < always.length; k++) {
    const i = always[k] as number;
    if (given[names[i] as string] === undefined) order[top++] = i;
  }
  return top > before;
}

/** The object that a part of the stack makes. */
function takeResults(names: readonly string[], base: number, end: number): object {
  const out: Record<string, unknown> = {};
  for (let k = base; k < end; k++) {
    if (results[k] === undefined) continue;
    out[names[order[k] as number] as string] = results[k];
    results[k] = undefined;
  }
  return out;
}

/**
 * The fields of the structs under work, as numbers in order of declaration, and what becomes of them:
 * stacks, of which each struct has the part from where `top` was when it began.
 */
const order: number[] = [];
const results: unknown[] = [];
let top = 0;

/** Puts the fields that are given on the stack; false if something else is given, too. */
function pushFields(indices: ReadonlyMap<string, number>, given: Record<string, unknown>): boolean {
  let known = true;
  for (const name in given) {
    const i = indices.get(name);
    if (i === undefined || given[name] === undefined) known = false;
    else order[top++] = i;
  }
  return known;
}

/** Sorts a part of the stack, which mostly is in order already: true if it was. */
function sortOrder(base: number, end: number): boolean {
  let sorted = true;
  for (let k = base + 1; k < end; k++) {
    const i = order[k] as number;
    let at = k;
    while (at > base && (order[at - 1] as number) > i) {
      order[at] = order[at - 1] as number;
      at--;
    }
    if (at === k) continue;
    order[at] = i;
    sorted = false;
  }
  return sorted;
}

/** What a field's value becomes; undefined where it is a zero that is not written. */
function fieldNormaliser(field: Field): Normaliser {
  const { type, zero } = field;
  const normaliser = typeNormaliser(type);
  if (zero === "pointer" || zero === "null") return normaliser;
  switch (type.code) {
    case "struct":
      if (zero === "always") return normaliser;
      return (value) => {
        const out = normaliser(value) as object;
        for (const _ in out) return out;
        return undefined;
      };
    case "list":
      return (value) => {
        const out = normaliser(value) as readonly unknown[];
        return out.length > 0 ? out : whenEmpty(out, zero);
      };
    case "map":
      return (value) => {
        const out = normaliser(value) as object;
        for (const _ in out) return out;
        return whenEmpty(out, zero);
      };
    case "string":
    case "bool":
    case "int32":
    case "int64":
    case "double":
      return (value) => normaliser(value) || undefined;
    case "bytes":
      return (value) => normaliser(value) || noBytes(zero);
    default:
      return normaliser;
  }
}

const whenEmpty = <T>(value: T, zero: Zero): T | undefined =>
  kept === "all" || (kept === "always" && zero === "always") ? value : undefined;

/** Bytes that are always written may be none or absent: an error shows which, and is all that does. */
const noBytes = (zero: Zero): string | undefined =>
  kept === "all" && zero === "always" ? "" : undefined;

const nothing = (): undefined => undefined;

/** What stands for a field that is absent, or zero. */
export function whenAbsent(field: Field): () => unknown {
  const { type, zero } = field;
  if (zero === "null") return () => null;
  if (zero !== "always") return nothing;
  return zeroOf(type);
}

/** The zero of a type as Go writes it. */
export function zeroOf(type: Type): () => unknown {
  switch (type.code) {
    case "string":
      return () => "";
    case "bool":
      return () => false;
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return () => 0;
    case "quantity":
      return () => "0";
    case "duration":
      return () => "0s";
    case "struct": {
      const struct = structOf(type) as Struct;
      return () => {
        const before = count.members;
        const value = structNormaliser(struct).run({});
        count.members = before;
        return value;
      };
    }
    default:
      return () => null;
  }
}

/** What null stands for in a list or map: no bytes are written as none once they were stored. */
export const elementZero = (type: Type): (() => unknown) =>
  type.code === "bytes" ? () => "" : zeroOf(type);

function typeNormaliser(type: Type): Normaliser {
  const { code } = type;
  switch (code) {
    case "struct": {
      const normaliser = structNormaliser(structOf(type) as Struct);
      return (value) => normaliser.run(value);
    }
    case "list":
      return listNormaliser(type.of as Type);
    case "map":
      return mapNormaliser(type.of as Type);
    case "either":
      return eitherNormaliser(type);
    default:
      return leaves[code];
  }
}

/** On first use, not before: structs may hold themselves. */
function eitherNormaliser(type: Type): Normaliser {
  const { other } = type.either as Either;
  let object: Replaceable<Normaliser> | undefined;
  let otherwise: Normaliser | undefined;
  return (value) => {
    if (typeof value === "object" && !Array.isArray(value)) {
      object ??= structNormaliser(structOf(type) as Struct);
      return object.run(value);
    }
    if (other.code === "list" && Array.isArray(value) && value.length === 0) return undefined;
    otherwise ??= typeNormaliser(other);
    return otherwise(value);
  };
}

function listNormaliser(of: Type): Normaliser {
  const item = typeNormaliser(of);
  const zero = elementZero(of);
  return (value) => {
    if (!Array.isArray(value)) throw odd;
    const out = new Array<unknown>(value.length);
    let same = true;
    for (let i = 0; i < value.length; i++) {
      out[i] = value[i] === null ? zero() : item(value[i]);
      if (out[i] !== value[i]) same = false;
    }
    return same ? value : out;
  };
}

function mapNormaliser(of: Type): Normaliser {
  const item = typeNormaliser(of);
  const zero = elementZero(of);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw odd;
    const given = value as Record<string, unknown>;
    const keys = Object.keys(given);
    let same = isSorted(keys);
    if (!same) keys.sort(compareUtf8);
    const results = new Array<unknown>(keys.length);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      count.members++;
      noteKey(key);
      const entry = given[key];
      results[i] = entry === null || entry === undefined ? zero() : item(entry);
      if (results[i] !== entry) same = false;
    }
    return same ? value : mapFrom(keys, results);
  };
}

function mapFrom(keys: readonly string[], values: readonly unknown[]): object {
  const map: Record<string, unknown> = {};
  for (let i = 0; i < keys.length; i++) setMember(map, keys[i] as string, values[i]);
  return map;
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++)
    if (compareUtf8(keys[i - 1] as string, keys[i] as string) > 0) return false;
  return true;
}

/** Notes the keys of any JSON. */
export function noteKeys(value: unknown): void {
  const before = count.members;
  countMembers(value);
  count.members = before;
}

const integer =
  (min: number, max: number): Normaliser =>
  (value) => {
    if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max)
      throw odd;
    return value === 0 ? 0 : value;
  };
/** A format whose parser throws on bad input. */
const parsed =
  (parse: (text: string) => string | null): Normaliser =>
  (value) => {
    if (typeof value !== "string") throw odd;
    try {
      return parse(value) ?? undefined;
    } catch {
      throw odd;
    }
  };

const leaves: Readonly<
  Record<Exclude<Type["code"], "struct" | "either" | "list" | "map">, Normaliser>
> = {
  string(value) {
    if (typeof value !== "string") throw odd;
    return value;
  },
  bool(value) {
    if (typeof value !== "boolean") throw odd;
    return value;
  },
  int32: integer(-(2 ** 31), 2 ** 31 - 1),
  int64: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  double(value) {
    if (typeof value !== "number") throw odd;
    return value;
  },
  bytes: parsed(canonicalBase64),
  time: parsed(canonicalTime),
  microTime: parsed(canonicalMicroTime),
  duration: parsed(canonicalDuration),
  quantity(value) {
    try {
      return quantityFromJson(value);
    } catch {
      throw odd;
    }
  },
  intOrString(value) {
    if (typeof value === "string") return value;
    return integer(-(2 ** 31), 2 ** 31 - 1)(value);
  },
  raw: freeForm,
  fieldsV1: freeForm,
  json(value) {
    countMembers(value);
    return inOrder(value);
  },
};

/** Any JSON with the members of objects in the order of their names; the same value if they are. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(inOrder);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  const given = value as Record<string, unknown>;
  const keys = Object.keys(given);
  let same = isSorted(keys);
  if (!same) keys.sort(compareUtf8);
  const values = keys.map((key) => {
    const held = inOrder(given[key]);
    if (held !== given[key]) same = false;
    return held;
  });
  return same ? value : mapFrom(keys, values);
}

/** Any JSON; its members count as recognised. */
function freeForm(value: unknown): unknown {
  if (isCounting) countMembers(value);
  return value;
}

function countMembers(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > maxKeptDepth) throw odd;
  if (Array.isArray(value)) {
    for (const item of value) countMembers(item, depth + 1);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    count.members++;
    noteKey(key);
    countMembers(item, depth + 1);
  }
}
