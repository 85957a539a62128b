import { type BackwardWriter, WireError, WireReader, withWriter } from "./protobuf-wire.ts";

/** How values of one type are written and read. */
export interface FieldType<V> {
  /** The wire type: 0 for varints, 2 for length-delimited values. */
  readonly wireType: 0 | 2;
  /** The value of an absent field. */
  readonly absent: V;
  isAbsent(value: V): boolean;
  write(writer: BackwardWriter, value: V): void;
  read(reader: WireReader): V;
}

/** A field of a message: its number, its type, and whether it is repeated. */
export interface MessageField<V> {
  readonly tag: number;
  readonly type: FieldType<unknown>;
  readonly isRepeated: boolean;
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
    // A field with presence is written even when it is empty.
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
  // Repeated numbers may be packed.
  if (!isRepeated || wireType !== 2)
    throw new WireError(`wrong wire type ${wireType} for ${name}`, reader.at);
  within(reader, () => {
    while (reader.at < reader.end) add(type.read(reader));
  });
}

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

/** A message within a message; a recursive one is given by a function. */
export function nested<V>(inner: Message<V> | (() => Message<V>)): FieldType<V> {
  const found = (): Message<V> => (typeof inner === "function" ? inner() : inner);
  return {
    wireType: 2,
    // Only a field with presence can be absent.
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

/** An integer below 2^53, or an enum. */
export const int: FieldType<number> = {
  wireType: 0,
  absent: 0,
  isAbsent: (value) => value === 0,
  write: (writer, value) => writer.int64(value),
  read: (reader) => reader.varint(),
};

/** An integer of 64 bits as a bigint, for identifiers. */
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
