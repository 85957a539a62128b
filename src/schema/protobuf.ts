import { decodeBase64, encodeBase64 } from "./base64.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import type { Field } from "./field.ts";
import { noteKey, noteKeys, setKey, sortedKeys, whenAbsent } from "./normalise.ts";
import { canonicalQuantity } from "./quantity.ts";
import { isInexact, type JsonNode, maxKeptDepth, parseJson, scanJson } from "./strict-json.ts";
import type { Struct } from "./struct.ts";
import { formatMicroTime, formatTime, parseMicroTime, parseTime, type Timestamp } from "./time.ts";
import { listType, structOf, type Type } from "./type.ts";
import { type BackwardWriter, WireError, WireReader, withWriter } from "./wire.ts";

/** A struct's value in protobuf, byte for byte as Go writes it. */
export function encodeProtobuf(struct: Struct, value: unknown): Uint8Array {
  return withWriter((writer) => writeMessage(writer, struct, value));
}

/** Writes a struct's value in front of what a writer has. */
export function writeMessage(writer: BackwardWriter, struct: Struct, value: unknown): void {
  const base = top;
  try {
    codec(struct).write(writer, value as Values);
  } finally {
    top = base;
  }
}

/** The value that protobuf bytes hold, in the form in which JSON would have it. */
export function decodeProtobuf(struct: Struct, bytes: Uint8Array): unknown {
  const reader = new WireReader(bytes);
  return codec(struct).read(reader, bytes.length);
}

type Values = Readonly<Record<string, unknown>>;
interface Codec {
  write(writer: BackwardWriter, value: Values): void;
  read(reader: WireReader, end: number): Record<string, unknown>;
}
/** Writes a field, or all that a message holds; its values stand in `slots` from `base` on. */
type Write = (writer: BackwardWriter, base: number) => void;
/** Reads one occurrence of a field; `before` is what earlier ones have given. */
type Read = (reader: WireReader, wireType: number, before: unknown) => unknown;

const codecs = new WeakMap<Struct, Codec>();

function codec(struct: Struct): Codec {
  let found = codecs.get(struct);
  if (!found) {
    found = compile(struct);
    codecs.set(struct, found);
  }
  return found;
}

/**
 * The values of the structs that are being written, each struct's in order of declaration: a stack,
 * so that a value is looked up once by its name, and fields that are absent cost next to nothing.
 */
const slots: unknown[] = [];
let top = 0;

function compile(struct: Struct): Codec {
  const indices = new Map(Object.keys(struct.fields).map((name, i) => [name, i]));
  const count = indices.size;
  let compiled: { writes: Write[]; read: Codec["read"] } | undefined;
  // On first use, not before: structs may hold themselves.
  const ready = () => {
    compiled ??= { writes: compileWrites(struct, indices), read: compileRead(struct) };
    return compiled;
  };
  return {
    write(writer, value) {
      const { writes } = ready();
      const base = top;
      top += count;
      for (let i = base; i < top; i++) slots[i] = undefined;
      for (const name in value) {
        const i = indices.get(name);
        if (i !== undefined) slots[base + i] = value[name];
      }
      for (let k = 0; k < writes.length; k++) (writes[k] as Write)(writer, base);
      top = base;
    },
    read(reader, end) {
      return ready().read(reader, end);
    },
  };
}

/** One for each number, from the last to the first: the writer works backwards. */
function compileWrites(struct: Struct, indices: ReadonlyMap<string, number>): Write[] {
  const byTag = new Map<number, Write>();
  const write = ([name, field]: readonly [string, Field]): readonly [number, Write] => [
    field.tag,
    fieldWrite(indices.get(name) as number, field),
  ];
  for (const [tag, fields] of nestedFields(struct)) {
    const writes = inReverse(fields.map(write));
    byTag.set(tag, (writer, base) => {
      const mark = writer.length;
      for (let k = 0; k < writes.length; k++) (writes[k] as Write)(writer, base);
      writer.delimited(tag, mark);
    });
  }
  for (const field of ownFields(struct)) byTag.set(...write(field));
  return inReverse([...byTag]);
}

const inReverse = (writes: readonly (readonly [number, Write])[]): Write[] =>
  [...writes].sort(([a], [b]) => b - a).map(([, write]) => write);

const ownFields = (struct: Struct): [string, Field][] =>
  Object.entries(struct.fields).filter(([, { tag, under }]) => tag > 0 && under === undefined);

/** Fields that JSON has inline, by the number of the message that holds them in protobuf. */
function nestedFields(struct: Struct): Map<number, [string, Field][]> {
  const nested = new Map<number, [string, Field][]>();
  for (const [name, field] of Object.entries(struct.fields)) {
    if (field.under === undefined) continue;
    nested.set(field.under, [...(nested.get(field.under) ?? []), [name, field]]);
  }
  return nested;
}

/** What is absent is written where Go has a value and not a pointer. */
function fieldWrite(index: number, { tag, type, zero }: Field): Write {
  const optional =
    zero === "pointer" ||
    zero === "null" ||
    type.code === "list" ||
    type.code === "map" ||
    type.code === "bytes";
  const write = typeWrite(tag, type);
  const absent = optional ? undefined : zeroWrite(tag, type);
  return (writer, base) => {
    const value = slots[base + index];
    if (value !== undefined && value !== null) write(writer, value);
    else absent?.(writer);
  };
}

function zeroWrite(tag: number, type: Type): (writer: BackwardWriter) => void {
  switch (type.code) {
    case "struct": {
      const struct = structOf(type) as Struct;
      return (writer) => {
        const mark = writer.length;
        codec(struct).write(writer, {});
        writer.delimited(tag, mark);
      };
    }
    case "quantity":
      return (writer) => typeWrite(tag, type)(writer, "0");
    case "intOrString":
      return (writer) => typeWrite(tag, type)(writer, 0);
    case "duration":
      return (writer) => typeWrite(tag, type)(writer, "0s");
    case "time":
    case "microTime":
    case "raw":
    case "fieldsV1":
      return (writer) => writer.delimited(tag, writer.length);
    case "double":
      return (writer) => typeWrite(tag, type)(writer, 0);
    case "string":
      return (writer) => writer.delimited(tag, writer.length);
    default:
      return (writer) => {
        writer.varint(0);
        writer.tag(tag, 0);
      };
  }
}

type ValueWrite = (writer: BackwardWriter, value: unknown) => void;

function typeWrite(tag: number, type: Type): ValueWrite {
  switch (type.code) {
    case "string":
      return (writer, value) => {
        const mark = writer.length;
        writer.string(value as string);
        writer.delimited(tag, mark);
      };
    case "bool":
      return (writer, value) => {
        writer.varint(value ? 1 : 0);
        writer.tag(tag, 0);
      };
    case "int32":
    case "int64":
      return (writer, value) => {
        writer.int64(value as number);
        writer.tag(tag, 0);
      };
    case "double":
      return (writer, value) => {
        writer.double(value as number);
        writer.tag(tag, 1);
      };
    case "list": {
      if (type.wrapped) return delimitedWrite(tag, typeWrite(1, unwrapped(type)));
      const item = typeWrite(tag, type.of as Type);
      return (writer, value) => {
        const items = value as readonly unknown[];
        for (let i = items.length - 1; i >= 0; i--) item(writer, items[i]);
      };
    }
    case "map":
      return mapWrite(tag, type.of as Type);
    default:
      return delimitedWrite(tag, contentWrite(type));
  }
}

const unwrapped = ({ of }: Type): Type => listType(of as Type);

const delimitedWrite =
  (tag: number, content: ValueWrite): ValueWrite =>
  (writer, value) => {
    const mark = writer.length;
    content(writer, value);
    writer.delimited(tag, mark);
  };

/** Each entry is a message of key and value; in the order of the keys. */
function mapWrite(tag: number, of: Type): ValueWrite {
  const key = typeWrite(1, { code: "string", goType: "string" });
  const item = typeWrite(2, of);
  return (writer, value) => {
    const map = value as Values;
    for (const name of sortedKeys(map).reverse()) {
      const mark = writer.length;
      item(writer, map[name]);
      key(writer, name);
      writer.delimited(tag, mark);
    }
  };
}

/** What stands inside the length-delimited field of a type. */
function contentWrite(type: Type): ValueWrite {
  switch (type.code) {
    case "struct": {
      const struct = structOf(type) as Struct;
      return (writer, value) => codec(struct).write(writer, value as Values);
    }
    case "bytes":
      return (writer, value) => writer.raw(decodeBase64(value as string));
    case "time":
    case "microTime":
      return (writer, value) => writeTime(writer, value as string, type.code === "microTime");
    case "quantity":
      return (writer, value) => {
        const mark = writer.length;
        writer.string(value as string);
        writer.delimited(1, mark);
      };
    case "duration":
      return (writer, value) => {
        writer.int64(Number(parseDuration(value as string)));
        writer.tag(1, 0);
      };
    case "intOrString":
      return (writer, value) => writeIntOrString(writer, value as number | string);
    default:
      return (writer, value) => {
        const mark = writer.length;
        writer.raw(encoder.encode(JSON.stringify(value)));
        writer.delimited(1, mark);
      };
  }
}

function writeTime(writer: BackwardWriter, value: string, micro: boolean): void {
  const { seconds, nanos } = micro ? parseMicroTime(value) : parseTime(value);
  writer.int64(micro ? nanos : 0);
  writer.tag(2, 0);
  writer.int64(seconds);
  writer.tag(1, 0);
}

function writeIntOrString(writer: BackwardWriter, value: number | string): void {
  const isText = typeof value === "string";
  const mark = writer.length;
  writer.string(isText ? value : "");
  writer.delimited(3, mark);
  writer.int64(isText ? 0 : value);
  writer.tag(2, 0);
  writer.varint(isText ? 1 : 0);
  writer.tag(1, 0);
}

/** Reads into the fields in order of declaration, with zeros left out or filled in as each says. */
function compileRead(struct: Struct): Codec["read"] {
  const entries = Object.entries(struct.fields).filter(([, { tag }]) => tag > 0);
  const absent = entries.map(([, field]) => whenAbsent(field));
  const keepsZero = entries.map(([, { zero }]) => zero === "pointer" || zero === "null");
  const own = table(entries, undefined);
  const nested = new Map(
    [...nestedFields(struct).keys()].map((under) => [under, table(entries, under)]),
  );

  const readInto = (slots: unknown[], fields: Slots, reader: WireReader, end: number): void => {
    const outer = reader.end;
    reader.end = end;
    while (reader.at < end) {
      const tag = reader.varint();
      const number = Math.floor(tag / 8);
      const wireType = tag % 8;
      const slot = fields[number];
      if (slot) slots[slot.index] = slot.read(reader, wireType, slots[slot.index]);
      else if (fields === own && nested.has(number))
        readInto(slots, nested.get(number) as Slots, reader, reader.delimited());
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
      if (value !== undefined) out[(entries[i] as [string, Field])[0]] = value;
    }
    return out;
  };
}

/** By field number: where its value goes, and how it is read. */
type Slots = readonly ({ readonly index: number; readonly read: Read } | undefined)[];

function table(entries: readonly (readonly [string, Field])[], under: number | undefined): Slots {
  const slots: { index: number; read: Read }[] = [];
  for (const [index, [, field]] of entries.entries())
    if (field.under === under) slots[field.tag] = { index, read: typeRead(field.type) };
  return slots;
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
  if (code === "struct") {
    const struct = structOf(type) as Struct;
    return (reader, wireType) => codec(struct).read(reader, delimitedEnd(reader, wireType));
  }
  const read = leafReads[code] as (reader: WireReader) => unknown;
  const expected = wireTypes[code] ?? 2;
  return (reader, wireType) => {
    if (wireType !== expected) throw new WireError(`wrong wire type ${wireType}`, reader.at);
    return read(reader);
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
    setKey(map, key, value ?? "");
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
  raw: readRaw,
  fieldsV1: readRaw,
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

function readRaw(reader: WireReader): unknown {
  const text = readNumbered(reader)[1];
  if (text === undefined || text === "") return null;
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

const encoder = new TextEncoder();
