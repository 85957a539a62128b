import { type BackwardWriter, WireError, WireReader, withWriter } from "./protobuf-wire.ts";

/** How values of one type are written and read. */
export interface FieldType<V> {
  /** Protobuf's name of it, where it is one that protobuf has. */
  readonly name: string;
  /** The wire type: 0 for varints, 1 for 64 bits, 2 for length-delimited values. */
  readonly wireType: 0 | 1 | 2;
  /** The value of an absent field. */
  readonly absent: V;
  isAbsent(value: V): boolean;
  write(writer: BackwardWriter, value: V): void;
  read(reader: WireReader): V;
  /** The message that it is, if it is one. */
  readonly inner?: (() => Message<unknown>) | undefined;
  /** The numbers of an enum. */
  readonly numbers?: Readonly<Record<string, number>> | undefined;
}

/** A field of a message: its number, its type, and whether it is repeated. */
export interface MessageField<V> {
  readonly tag: number;
  readonly type: FieldType<unknown>;
  readonly isRepeated: boolean;
  /** Whether it is a map: its items are entries. */
  readonly isMap?: boolean | undefined;
  /** The value when the field is absent; undefined for fields with presence. */
  readonly absent: V;
}

type Fields = Readonly<Record<string, MessageField<unknown>>>;
type ValueOf<F> = F extends MessageField<infer V> ? V : never;
type Values<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** A decoded message: every field is there, absent ones with their default. */
export type MessageOf<M> = M extends Message<infer V> ? V : never;

/** A message to encode: fields may be left out, at every level. */
export type Sent<V> = V extends Uint8Array | string | number | bigint | boolean | undefined
  ? V
  : V extends readonly (infer I)[]
    ? readonly Sent<I>[]
    : { readonly [K in keyof V]?: Sent<V[K]> | undefined };

/** The codec of a declared message. Unknown fields are skipped. */
export interface Message<V> {
  readonly fields: Fields;
  encode(value: Sent<V>): Uint8Array;
  decode(bytes: Uint8Array): V;
  write(writer: BackwardWriter, value: Sent<V>): void;
  read(reader: WireReader): V;
}

/** Declares a message by its fields. */
export function message<const F extends Fields>(fields: F): Message<Values<F>> {
  // The writer works back to front.
  const backward = Object.entries(fields).sort(([, a], [, b]) => b.tag - a.tag);
  const byTag = new Map(
    Object.entries(fields).map(([name, field]) => [field.tag, { name, field }]),
  );
  const write = (writer: BackwardWriter, value: Sent<Values<F>>): void => {
    for (const [name, field] of backward) {
      const member: unknown = (value as Record<string, unknown>)[name];
      if (member !== undefined) writeField(writer, field, member);
    }
  };
  const read = (reader: WireReader): Values<F> => {
    const value: Record<string, unknown> = {};
    for (const name in fields) {
      const { isRepeated, isMap, absent } = fields[name] as MessageField<unknown>;
      value[name] = isMap ? {} : isRepeated ? [] : absent;
    }
    while (reader.at < reader.end) {
      const key = reader.varint();
      const known = byTag.get(Math.floor(key / 8));
      if (known) readField(reader, known.field, { value, name: known.name, wireType: key % 8 });
      else reader.skip(key % 8);
    }
    return value as Values<F>;
  };
  return {
    fields,
    write,
    read,
    encode: (value) => withWriter((writer) => write(writer, value)),
    decode: (bytes) => read(new WireReader(bytes)),
  };
}

function writeField(writer: BackwardWriter, field: MessageField<unknown>, member: unknown): void {
  if (!field.isRepeated) {
    // A field with presence is written even when it is empty.
    if (field.absent === undefined || !field.type.isAbsent(member)) writeOne(writer, field, member);
    return;
  }
  const items = field.isMap ? entriesOf(member as object) : (member as readonly unknown[]);
  for (let i = items.length - 1; i >= 0; i--) writeOne(writer, field, items[i]);
}

function writeOne(writer: BackwardWriter, { tag, type }: MessageField<unknown>, value: unknown) {
  const mark = writer.length;
  type.write(writer, value);
  if (type.wireType === 2) writer.delimited(tag, mark);
  else writer.tag(tag, type.wireType);
}

const entriesOf = (map: object): readonly unknown[] =>
  Object.entries(map).filter(([, value]) => value !== undefined);

interface Place {
  readonly value: Record<string, unknown>;
  readonly name: string;
  readonly wireType: number;
}

function readField(
  reader: WireReader,
  { type, isRepeated, isMap }: MessageField<unknown>,
  { value, name, wireType }: Place,
): void {
  const add = (item: unknown): void => {
    if (isMap) setEntry(value[name] as object, item as readonly [string, string]);
    else if (isRepeated) (value[name] as unknown[]).push(item);
    else value[name] = item;
  };
  if (wireType === type.wireType) {
    add(type.wireType === 2 ? within(reader, () => type.read(reader)) : type.read(reader));
    return;
  }
  // Repeated numbers may be packed.
  if (!isRepeated || wireType !== 2)
    throw new WireError(`wrong wire type ${wireType} for ${name}`, reader.at);
  within(reader, () => {
    while (reader.at < reader.end) add(type.read(reader));
  });
}

/** Sets a member of any name, such as `__proto__`. */
const setEntry = (map: object, [key, value]: readonly [string, string]): void =>
  void Object.defineProperty(map, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });

/** Reads a length-delimited value: the reader ends with it meanwhile. */
function within<T>(reader: WireReader, read: () => T): T {
  const { end } = reader;
  reader.end = reader.delimited();
  if (++reader.depth > maxDepth) throw new WireError("nested too deep", reader.at);
  const value = read();
  reader.at = reader.end;
  reader.end = end;
  reader.depth--;
  return value;
}

const maxDepth = 100;

/** A field without presence: absent means its type's default. */
export const field = <V>(tag: number, type: FieldType<V>): MessageField<V> => ({
  tag,
  type: type as FieldType<unknown>,
  isRepeated: false,
  absent: type.absent,
});

/** A field with presence, as a message or a member of a oneof is. */
export const maybe = <V>(tag: number, type: FieldType<V>): MessageField<V | undefined> => ({
  tag,
  type: type as FieldType<unknown>,
  isRepeated: false,
  absent: undefined,
});

export const repeated = <V>(tag: number, type: FieldType<V>): MessageField<readonly V[]> => ({
  tag,
  type: type as FieldType<unknown>,
  isRepeated: true,
  absent: [],
});

/** A field of type `map<string, string>`. */
export const textMap = (tag: number): MessageField<Readonly<Record<string, string>>> => ({
  tag,
  type: entry as FieldType<unknown>,
  isRepeated: true,
  isMap: true,
  absent: {},
});

/** A message within a message; a recursive one is given by a function. */
export function nested<V>(inner: Message<V> | (() => Message<V>)): FieldType<V> {
  const found = (): Message<V> => (typeof inner === "function" ? inner() : inner);
  return {
    name: "message",
    inner: found as () => Message<unknown>,
    wireType: 2,
    // Only a field with presence can be absent.
    absent: undefined as never,
    isAbsent: (value) => value === undefined,
    write: (writer, value) => found().write(writer, value as Sent<V>),
    read: (reader) => found().read(reader),
  };
}

export const text: FieldType<string> = {
  name: "string",
  wireType: 2,
  absent: "",
  isAbsent: (value) => value === "",
  write: (writer, value) => writer.string(value),
  read: ({ bytes, at, end }) => decoder.decode(bytes.subarray(at, end)),
};

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export const bytes: FieldType<Uint8Array> = {
  name: "bytes",
  wireType: 2,
  absent: new Uint8Array(0),
  isAbsent: (value) => value.length === 0,
  write: (writer, value) => writer.raw(value),
  read: (reader) => reader.bytes.subarray(reader.at, reader.end),
};

/** An integer below 2^53, or an enum. */
export const int: FieldType<number> = {
  name: "int",
  wireType: 0,
  absent: 0,
  isAbsent: (value) => value === 0,
  write: (writer, value) => writer.int64(value),
  read: (reader) => reader.varint(),
};

/** An integer of 64 bits as a bigint, for identifiers. */
export const int64: FieldType<bigint> = {
  name: "int64",
  wireType: 0,
  absent: 0n,
  isAbsent: (value) => value === 0n,
  write: (writer, value) => writer.bigint64(value),
  read: (reader) => reader.bigint64(),
};

/** An unsigned integer of 64 bits. */
export const uint64: FieldType<bigint> = {
  ...int64,
  name: "uint64",
  read: (reader) => BigInt.asUintN(64, reader.bigint64()),
};

export const double: FieldType<number> = {
  name: "double",
  wireType: 1,
  absent: 0,
  isAbsent: (value) => value === 0,
  write: (writer, value) => writer.double(value),
  read: (reader) => reader.double(),
};

/** An enum by names of its numbers; its zero stands for numbers that have no name. */
export function names<const N extends string>(numbers: Readonly<Record<N, number>>): FieldType<N> {
  const byNumber = new Map<number, N>(
    Object.entries<number>(numbers).map(([name, number]) => [number, name as N]),
  );
  const absent = byNumber.get(0) as N;
  return {
    name: "enum",
    numbers,
    wireType: 0,
    absent,
    isAbsent: (value) => value === absent,
    write: (writer, value) => writer.int64(numbers[value]),
    read: (reader) => byNumber.get(reader.varint()) ?? absent,
  };
}

export const bool: FieldType<boolean> = {
  name: "bool",
  wireType: 0,
  absent: false,
  isAbsent: (value) => !value,
  write: (writer, value) => writer.varint(value ? 1 : 0),
  read: (reader) => reader.truth(),
};

/** An entry of a map. */
const Entry = message({ key: field(1, text), value: field(2, text) });
const entry: FieldType<readonly [string, string]> = {
  name: "map",
  wireType: 2,
  absent: ["", ""],
  isAbsent: () => false,
  write: (writer, [key, value]) => Entry.write(writer, { key, value }),
  read(reader) {
    const { key, value } = Entry.read(reader);
    return [key, value];
  },
};
