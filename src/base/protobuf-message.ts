import { type BackwardWriter, WireError, WireReader, withWriter } from "./protobuf-wire.ts";

/** How values of one type are written and read. */
export interface FieldType<V> {
  /** How it is told apart on the wire: 0 for numbers, 2 for what has a length. */
  readonly wireType: 0 | 2;
  /** What an absent field means. */
  readonly absent: V;
  isAbsent(value: V): boolean;
  write(writer: BackwardWriter, value: V): void;
  read(reader: WireReader): V;
}

/** A field of a message: its number, its type, and whether there may be many. */
export interface MessageField<V> {
  readonly tag: number;
  readonly type: FieldType<unknown>;
  readonly isRepeated: boolean;
  /** What the field is where nothing is said; undefined where that is told apart. */
  readonly absent: V;
}

type Fields = Readonly<Record<string, MessageField<unknown>>>;
type ValueOf<F> = F extends MessageField<infer V> ? V : never;
type Values<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** A message with all its fields, those that were not said included. */
export type MessageOf<M> = M extends Message<infer V> ? V : never;

/** A message as it is sent: what is not said, in it or in what it holds, is left out. */
export type Sent<V> = V extends Uint8Array | string | number | bigint | boolean | undefined
  ? V
  : V extends readonly (infer I)[]
    ? readonly Sent<I>[]
    : { readonly [K in keyof V]?: Sent<V[K]> | undefined };

/** A declared message: how it is written and read. Fields that are not declared are passed over. */
export interface Message<V> {
  encode(value: Sent<V>): Uint8Array;
  decode(bytes: Uint8Array): V;
  write(writer: BackwardWriter, value: Sent<V>): void;
  read(reader: WireReader): V;
}

/** Declares a message by its fields. */
export function message<const F extends Fields>(fields: F): Message<Values<F>> {
  // Written back to front.
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
      const { isRepeated, absent } = fields[name] as MessageField<unknown>;
      value[name] = isRepeated ? [] : absent;
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
    write,
    read,
    encode: (value) => withWriter((writer) => write(writer, value)),
    decode: (bytes) => read(new WireReader(bytes)),
  };
}

function writeField(writer: BackwardWriter, field: MessageField<unknown>, member: unknown): void {
  if (!field.isRepeated) {
    // What is told apart from nothing is written even where it is empty.
    if (field.absent === undefined || !field.type.isAbsent(member)) writeOne(writer, field, member);
    return;
  }
  const items = member as readonly unknown[];
  for (let i = items.length - 1; i >= 0; i--) writeOne(writer, field, items[i]);
}

function writeOne(writer: BackwardWriter, { tag, type }: MessageField<unknown>, value: unknown) {
  const mark = writer.length;
  type.write(writer, value);
  if (type.wireType === 2) writer.delimited(tag, mark);
  else writer.tag(tag, 0);
}

interface Place {
  readonly value: Record<string, unknown>;
  readonly name: string;
  readonly wireType: number;
}

function readField(
  reader: WireReader,
  { type, isRepeated }: MessageField<unknown>,
  { value, name, wireType }: Place,
): void {
  const add = (item: unknown): void => {
    if (isRepeated) (value[name] as unknown[]).push(item);
    else value[name] = item;
  };
  if (wireType === type.wireType) {
    add(type.wireType === 2 ? within(reader, () => type.read(reader)) : type.read(reader));
    return;
  }
  // Numbers may come many in one field.
  if (!isRepeated || wireType !== 2)
    throw new WireError(`wrong wire type ${wireType} for ${name}`, reader.at);
  within(reader, () => {
    while (reader.at < reader.end) add(type.read(reader));
  });
}

/** Reads what has a length: the reader ends with it meanwhile. */
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

/** A field that is what its type is when nothing is said. */
export const field = <V>(tag: number, type: FieldType<V>): MessageField<V> => ({
  tag,
  type: type as FieldType<unknown>,
  isRepeated: false,
  absent: type.absent,
});

/** A field of which it is known whether anything is said: a message, or one of several. */
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

/** A message within a message; one that holds itself is given by a function. */
export function nested<V>(inner: Message<V> | (() => Message<V>)): FieldType<V> {
  const found = (): Message<V> => (typeof inner === "function" ? inner() : inner);
  return {
    wireType: 2,
    // Only where nothing can be told apart from something is there no message.
    absent: undefined as never,
    isAbsent: (value) => value === undefined,
    write: (writer, value) => found().write(writer, value as Sent<V>),
    read: (reader) => found().read(reader),
  };
}

export const text: FieldType<string> = {
  wireType: 2,
  absent: "",
  isAbsent: (value) => value === "",
  write: (writer, value) => writer.string(value),
  read: ({ bytes, at, end }) => decoder.decode(bytes.subarray(at, end)),
};

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export const bytes: FieldType<Uint8Array> = {
  wireType: 2,
  absent: new Uint8Array(0),
  isAbsent: (value) => value.length === 0,
  write: (writer, value) => writer.raw(value),
  read: (reader) => reader.bytes.subarray(reader.at, reader.end),
};

/** A whole number below 2^53, or an enumeration's. */
export const int: FieldType<number> = {
  wireType: 0,
  absent: 0,
  isAbsent: (value) => value === 0,
  write: (writer, value) => writer.int64(value),
  read: (reader) => reader.varint(),
};

/** A whole number of 64 bits, all of which count: an identity. */
export const int64: FieldType<bigint> = {
  wireType: 0,
  absent: 0n,
  isAbsent: (value) => value === 0n,
  write: (writer, value) => writer.bigint64(value),
  read: (reader) => reader.bigint64(),
};

export const bool: FieldType<boolean> = {
  wireType: 0,
  absent: false,
  isAbsent: (value) => !value,
  write: (writer, value) => writer.varint(value ? 1 : 0),
  read: (reader) => reader.truth(),
};
