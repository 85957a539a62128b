import { encodeBase64 } from "../../base/base64.ts";
import { WireError, WireReader } from "../../base/protobuf-wire.ts";
import {
  isInexact,
  type JsonNode,
  maxKeptDepth,
  parseJson,
  scanJson,
  setMember,
} from "../json/strict-json.ts";
import { noteKey } from "../language/index-keys.ts";
import { noteKeys, whenAbsent } from "../language/normalise.ts";
import { knownFields } from "../language/shared-fields.ts";
import type { Struct } from "../language/struct.ts";
import { type Either, structOf, structType, type Type } from "../language/type.ts";
import { formatDuration } from "../values/duration.ts";
import { canonicalQuantity } from "../values/quantity.ts";
import { formatMicroTime, formatTime, type Timestamp } from "../values/time.ts";
import { type Entry, nestedFields, numbered, unwrapped } from "./protobuf-fields.ts";

/** The value that protobuf bytes hold, in the form in which JSON would have it. */
export function decodeProtobuf(struct: Struct, bytes: Uint8Array): unknown {
  return messageReader(struct)(new WireReader(bytes), bytes.length);
}

type MessageRead = (reader: WireReader, end: number) => Record<string, unknown>;
/** Reads one occurrence of a field; `before` is what earlier ones have given. */
type Read = (reader: WireReader, wireType: number, before: unknown) => unknown;

const messageReaders = new WeakMap<Struct, MessageRead>();

function messageReader(struct: Struct): MessageRead {
  const found = messageReaders.get(struct);
  if (found) return found;
  let read: MessageRead | undefined;
  // On first use, not before: structs may hold themselves.
  const reader: MessageRead = (from, end) => {
    read ??= compileRead(struct);
    return read(from, end);
  };
  messageReaders.set(struct, reader);
  return reader;
}

/** Reads into the fields in order of declaration, with zeros left out or filled in as each says. */
function compileRead(struct: Struct): MessageRead {
  const entries = numbered(struct);
  const absent = entries.map(([, field]) => whenAbsent(field));
  const keepsZero = entries.map(([, { zero }]) => zero === "pointer" || zero === "null");
  const places = new Map(entries.map(([name], i) => [name, i]));
  const own = table(entries, places, 0);

  const readInto = (slots: unknown[], fields: Table, reader: WireReader, end: number): void => {
    const outer = reader.end;
    reader.end = end;
    while (reader.at < end) {
      const tag = reader.varint();
      const number = Math.floor(tag / 8);
      const wireType = tag % 8;
      const slot = fields.slots[number];
      if (slot) slots[slot.index] = slot.read(reader, wireType, slots[slot.index]);
      else if (fields.nested.has(number))
        readInto(slots, fields.nested.get(number) as Table, reader, reader.delimited());
      else reader.skip(wireType);
    }
    reader.end = outer;
  };

  return (reader, end) => {
    const slots = new Array<unknown>(entries.length);
    if (++reader.depth > maxKeptDepth) throw new WireError("exceeded max depth", reader.at);
    readInto(slots, own, reader, end);
    reader.depth--;
    const out: Record<string, unknown> = {};
    for (let i = 0; i < entries.length; i++) {
      let value = slots[i];
      if (value === undefined || (!keepsZero[i] && isZero(value)))
        value = (absent[i] as () => unknown)();
      if (value !== undefined) out[(entries[i] as Entry)[0]] = value;
    }
    return out;
  };
}

/** By number: where a field's value goes and how it is read, and the messages of inline fields. */
interface Table {
  readonly slots: readonly ({ readonly index: number; readonly read: Read } | undefined)[];
  readonly nested: ReadonlyMap<number, Table>;
}

function table(
  entries: readonly Entry[],
  places: ReadonlyMap<string, number>,
  depth: number,
): Table {
  const slots: { index: number; read: Read }[] = [];
  for (const [name, { tag, type, under }] of entries)
    if (under.length === depth)
      slots[tag] = { index: places.get(name) as number, read: typeRead(type) };
  const inner = [...nestedFields(entries, depth)];
  return {
    slots,
    nested: new Map(inner.map(([tag, fields]) => [tag, table(fields, places, depth + 1)])),
  };
}

/** "", 0, false and {}: what a field that is not a pointer has when nothing was written. */
function isZero(value: unknown): boolean {
  if (typeof value !== "object") return !value;
  if (value === null) return true;
  for (const _ in value) return false;
  return true;
}

function typeRead(type: Type): Read {
  const { code } = type;
  if (code === "list" && type.wrapped) return wrappedRead(typeRead(unwrapped(type)));
  if (code === "list") {
    const item = typeRead(type.of as Type);
    return (reader, wireType, before) => {
      const items = (before as unknown[] | undefined) ?? [];
      items.push(item(reader, wireType, undefined));
      return items;
    };
  }
  if (code === "map") return mapRead(type.of as Type);
  if (code === "either") return eitherRead(type);
  if (code === "struct") {
    const struct = structOf(type) as Struct;
    return (reader, wireType) => messageReader(struct)(reader, delimitedEnd(reader, wireType));
  }
  const read = leafReads[code] as (reader: WireReader) => unknown;
  const expected = wireTypes[code] ?? 2;
  return (reader, wireType) => {
    if (wireType !== expected) throw new WireError(`wrong wire type ${wireType}`, reader.at);
    return read(reader);
  };
}

/** A list that is not empty comes before an object, and that before a boolean. */
function eitherRead(type: Type): Read {
  const { objectTag, other, otherTag } = type.either as Either;
  let reads: { object: Read; other: Read } | undefined;
  return (reader, wireType) => {
    reads ??= { object: typeRead(structType(structOf(type) as Struct)), other: typeRead(other) };
    const end = delimitedEnd(reader, wireType);
    let object: unknown;
    let otherwise: unknown;
    while (reader.at < end) {
      const tag = reader.varint();
      const number = Math.floor(tag / 8);
      if (number === objectTag) object = reads.object(reader, tag % 8, undefined);
      else if (number === otherTag) otherwise = reads.other(reader, tag % 8, otherwise);
      else reader.skip(tag % 8);
    }
    if (other.code === "bool") return object ?? otherwise ?? false;
    return otherwise ?? object;
  };
}

/** A list whose items stand under number 1 of a message. */
function wrappedRead(items: Read): Read {
  return (reader, wireType) => {
    const end = delimitedEnd(reader, wireType);
    let list: unknown = [];
    while (reader.at < end) {
      const tag = reader.varint();
      if (Math.floor(tag / 8) === 1) list = items(reader, tag % 8, list);
      else reader.skip(tag % 8);
    }
    return list;
  };
}

function delimitedEnd(reader: WireReader, wireType: number): number {
  if (wireType !== 2) throw new WireError(`wrong wire type ${wireType}`, reader.at);
  return reader.delimited();
}

const wireTypes: Partial<Record<Type["code"], number>> = { bool: 0, int32: 0, int64: 0, double: 1 };

function mapRead(of: Type): Read {
  const item = typeRead(of);
  const zero = of.code === "time" ? null : "";
  return (reader, wireType, before) => {
    const map = (before as Record<string, unknown> | undefined) ?? {};
    const end = delimitedEnd(reader, wireType);
    let key = "";
    let value: unknown;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === 10) key = reader.string();
      else if (Math.floor(tag / 8) === 2) value = item(reader, tag % 8, undefined);
      else reader.skip(tag % 8);
    }
    noteKey(key);
    setMember(map, key, value ?? zero);
    return map;
  };
}

const leafReads: Readonly<Record<string, (reader: WireReader) => unknown>> = {
  string: (reader) => reader.string(),
  bool: (reader) => reader.varint() !== 0,
  int32: (reader) => reader.varint() | 0,
  int64: (reader) => reader.varint(),
  double: (reader) => reader.double(),
  bytes: (reader) => encodeBase64(reader.raw()),
  time: (reader) => readTime(reader, formatTime),
  microTime: (reader) => readTime(reader, formatMicroTime),
  duration: (reader) => formatDuration(BigInt(numberOf(readNumbered(reader)[1], reader))),
  quantity: (reader) => readQuantity(reader),
  intOrString(reader) {
    const { 1: type = 0, 2: number = 0, 3: text = "" } = readNumbered(reader);
    return type === 1 ? text : Number(number) | 0;
  },
  raw: (reader) => readRaw(reader),
  fieldsV1: (reader) => readRaw(reader, knownFields),
  json: (reader) => readRaw(reader),
};

function readTime(reader: WireReader, format: (time: Timestamp) => string): string | null {
  const empty = reader.bytes[reader.at] === 0;
  const { 1: seconds = 0, 2: nanos = 0 } = readNumbered(reader);
  if (empty) return null;
  const time = { seconds: numberOf(seconds, reader), nanos: numberOf(nanos, reader) };
  if (
    time.seconds < firstSecond ||
    time.seconds > lastSecond ||
    time.nanos < 0 ||
    time.nanos >= 1e9
  )
    throw new WireError("time out of range", reader.at);
  return format(time);
}

/** The years that RFC 3339 can write: 0000 to 9999. */
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;

/** A number of a small message; 0 where it is absent. */
function numberOf(value: number | string | undefined, { at }: WireReader): number {
  if (typeof value === "string") throw new WireError("wrong wire type 2", at);
  return value ?? 0;
}

function readQuantity(reader: WireReader): string {
  const { at } = reader;
  const { 1: text = "0" } = readNumbered(reader);
  if (typeof text !== "string") throw new WireError("wrong wire type 0", at);
  try {
    return canonicalQuantity(text);
  } catch (cause) {
    throw new WireError((cause as Error).message, at);
  }
}

/** Numbers and strings of a small message, by their field numbers. */
function readNumbered(reader: WireReader): Record<number, number | string> {
  const end = reader.delimited();
  const values: Record<number, number | string> = {};
  while (reader.at < end) {
    const tag = reader.varint();
    const wireType = tag % 8;
    if (wireType === 0) values[Math.floor(tag / 8)] = reader.varint();
    else if (wireType === 2) values[Math.floor(tag / 8)] = reader.string();
    else reader.skip(wireType);
  }
  return values;
}

function readRaw(reader: WireReader, knownAs?: (text: string) => unknown): unknown {
  const text = readNumbered(reader)[1];
  if (text === undefined || text === "") return null;
  const known = knownAs?.(String(text));
  if (known !== undefined) return known;
  const { at } = reader;
  try {
    const value: unknown = JSON.parse(String(text));
    if (scanJson(String(text)).oddNumbers) refuseInexact(String(text));
    noteKeys(value);
    return value;
  } catch (cause) {
    throw new WireError(`embedded JSON is malformed (${(cause as Error).message})`, at);
  }
}

/** A number that would not be kept as it is makes the value one that cannot be kept. */
function refuseInexact(text: string): void {
  const open: JsonNode[] = [parseJson(text, maxKeptDepth)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === "number" && isInexact(node.literal))
      throw new RangeError(`number ${node.literal} out of range`);
    if (node.kind === "array") open.push(...node.items);
    if (node.kind === "object") for (const { value } of node.members) open.push(value);
  }
}
