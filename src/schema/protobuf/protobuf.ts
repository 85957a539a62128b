import { decodeBase64 } from "../../base/base64.ts";
import { type BackwardWriter, withWriter } from "../../base/protobuf-wire.ts";
import { type Replaceable, replaceable } from "../generated-code/generate.ts";
import {
  generateMessageWrite,
  type MessageWrite,
  type Writing,
} from "../generated-code/protobuf-source.ts";
import { goJson } from "../json/go-json.ts";
import type { Field } from "../language/field.ts";
import { bytesOfFields } from "../language/shared-fields.ts";
import type { Struct } from "../language/struct.ts";
import { type Either, structOf, structType, type Type } from "../language/type.ts";
import { parseDuration } from "../values/duration.ts";
import { parseMicroTime, parseTime } from "../values/time.ts";
import { sortedKeys } from "../values/utf8-order.ts";
import { type Entry, nestedFields, numbered, unwrapped } from "./protobuf-fields.ts";

/** A struct's value in protobuf, byte for byte as Go writes it. */
export function encodeProtobuf(struct: Struct, value: unknown): Uint8Array {
  return withWriter((writer) => writeMessage(writer, struct, value));
}

/** Writes a struct's value in front of what a writer has. */
export function writeMessage(writer: BackwardWriter, struct: Struct, value: unknown): void {
  const base = top;
  try {
    messageWriter(struct).run(writer, value as Values);
  } finally {
    top = base;
  }
}

type Values = Readonly<Record<string, unknown>>;
/** Writes a field, or all that a message holds; its values stand in `slots` from `base` on. */
type Write = (writer: BackwardWriter, base: number) => void;

const messageWriters = new WeakMap<Struct, Replaceable<MessageWrite>>();

function messageWriter(struct: Struct): Replaceable<MessageWrite> {
  let found = messageWriters.get(struct);
  if (!found) {
    found = replaceable(compile(struct), () => generateMessageWrite(struct, parts));
    messageWriters.set(struct, found);
  }
  return found;
}

const parts: Writing = { valueOf: typeWrite, absentOf: absentWrite, ofStruct: messageWriter };

/**
 * The values of the structs that are being written, each struct's in order of declaration: a stack,
 * so that a value is looked up once by its name, and fields that are absent cost next to nothing.
 */
const slots: unknown[] = [];
let top = 0;

function compile(struct: Struct): MessageWrite {
  const indices = new Map(Object.keys(struct.fields).map((name, i) => [name, i]));
  const count = indices.size;
  let writes: Write[] | undefined;
  return (writer, value) => {
    // On first use, not before: structs may hold themselves.
    writes ??= compileWrites(struct, indices);
    const base = top;
    top += count;
    for (let i = base; i < top; i++) slots[i] = undefined;
    for (const name in value) {
      const i = indices.get(name);
      if (i !== undefined) slots[base + i] = value[name];
    }
    for (let k = 0; k < writes.length; k++) (writes[k] as Write)(writer, base);
    top = base;
  };
}

/** One for each number, from the last to the first: the writer works backwards. */
function compileWrites(struct: Struct, indices: ReadonlyMap<string, number>): Write[] {
  return messageWrites(numbered(struct), indices, 0);
}

function messageWrites(
  entries: readonly Entry[],
  indices: ReadonlyMap<string, number>,
  depth: number,
): Write[] {
  const byTag = new Map<number, Write>();
  for (const [tag, inner] of nestedFields(entries, depth)) {
    const writes = messageWrites(inner, indices, depth + 1);
    byTag.set(tag, (writer, base) => {
      const mark = writer.length;
      for (let k = 0; k < writes.length; k++) (writes[k] as Write)(writer, base);
      writer.delimited(tag, mark);
    });
  }
  for (const [name, field] of entries)
    if (field.under.length === depth)
      byTag.set(field.tag, fieldWrite(indices.get(name) as number, field));
  return inReverse([...byTag]);
}

const inReverse = (writes: readonly (readonly [number, Write])[]): Write[] =>
  [...writes].sort(([a], [b]) => b - a).map(([, write]) => write);

function fieldWrite(index: number, field: Field): Write {
  const write = typeWrite(field.tag, field.type);
  const absent = absentWrite(field);
  return (writer, base) => {
    const value = slots[base + index];
    if (value !== undefined && value !== null) write(writer, value);
    else absent?.(writer);
  };
}

/** What is absent is written where Go has a value and not a pointer. */
function absentWrite({ tag, type, zero }: Field): ((writer: BackwardWriter) => void) | undefined {
  if (zero === "pointer" || zero === "null") return undefined;
  const { code } = type;
  return code === "list" || code === "map" || code === "bytes" ? undefined : zeroWrite(tag, type);
}

function zeroWrite(tag: number, type: Type): (writer: BackwardWriter) => void {
  switch (type.code) {
    case "struct": {
      const struct = structOf(type) as Struct;
      return (writer) => {
        const mark = writer.length;
        messageWriter(struct).run(writer, {});
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
      return (writer, value) => writer.text(tag, value as string);
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
      return (writer, value) => messageWriter(struct).run(writer, value as Values);
    }
    case "bytes":
      return (writer, value) => writer.raw(decodeBase64(value as string));
    case "time":
    case "microTime":
      return (writer, value) => {
        // In a map, a zero time is null.
        if (value !== null) writeTime(writer, value as string, type.code === "microTime");
      };
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
    case "either":
      return eitherWrite(type);
    case "json":
      return (writer, value) => {
        if (value === null) return;
        const mark = writer.length;
        writer.string(goJson(value));
        writer.delimited(1, mark);
      };
    default:
      return (writer, value) => {
        const mark = writer.length;
        writer.raw(bytesOfFields(value as object) ?? encoder.encode(JSON.stringify(value)));
        writer.delimited(1, mark);
      };
  }
}

/** A message with a number for each shape; a boolean is always written. */
function eitherWrite(type: Type): ValueWrite {
  const { objectTag, other, otherTag } = type.either as Either;
  const otherwise = typeWrite(otherTag, other);
  let object: ValueWrite | undefined;
  return (writer, value) => {
    if (value === null) return;
    const isObject = typeof value === "object" && !Array.isArray(value);
    if (isObject) {
      object ??= delimitedWrite(objectTag, contentWrite(structType(structOf(type) as Struct)));
      object(writer, value);
    }
    if (!isObject || other.code === "bool") otherwise(writer, value);
  };
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

const encoder = new TextEncoder();
