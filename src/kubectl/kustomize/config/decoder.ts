import { isMap, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { KustomizeError } from "../kustomize-error.ts";

/** How a JSON value becomes a value of a type. Absent and null become the type's zero. */
export interface Decoder<T> {
  /** The type as Go names it. */
  readonly goType: string;
  readonly zero: T;
  decode(value: unknown, at: Place): T;
}

/** The structure that is read, and the way to it, as messages name them. */
interface Place {
  readonly struct: string;
  readonly path: string;
  /** Whether fields that a structure does not have are rejected. */
  readonly strict?: boolean;
  /** Whether numbers and booleans become strings where a string is expected. */
  readonly lenient?: boolean;
}

interface Field<T> {
  readonly decoder: Decoder<T>;
  /** The way to the field where it belongs to an embedded structure. */
  readonly prefix: string;
}
type Fields = Readonly<Record<string, Field<unknown>>>;
type Decoded<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

const scalar = <T>(goType: string, zero: T, read: (value: unknown, at: Place) => T | undefined) => {
  const decoder: Decoder<T> = {
    goType,
    zero,
    decode: (value, at) => {
      if (value === undefined || value === null) return zero;
      const result = read(value, at);
      if (result === undefined) throw mismatch(value, goType, at);
      return result;
    },
  };
  return decoder;
};

/** A string; `goType` where the type has a name. */
export const text = (goType = "string"): Decoder<string> =>
  scalar(goType, "", (value, at) => {
    if (typeof value === "string") return value;
    return at.lenient === true && typeof value !== "object" ? String(value) : undefined;
  });

export const flag: Decoder<boolean> = scalar("bool", false, (value) =>
  typeof value === "boolean" ? value : undefined,
);

/** A whole number; `goType` is `int` or `int64`. */
export const integer = (goType: "int" | "int64" = "int"): Decoder<number> =>
  scalar(goType, 0, (value) =>
    typeof value === "number" && Number.isInteger(value) ? value : undefined,
  );

/** Any value. */
export const anything: Decoder<unknown> = scalar<unknown>(
  "interface {}",
  undefined,
  (value) => value,
);

export const list = <T>(item: Decoder<T>): Decoder<readonly T[]> =>
  scalar<readonly T[]>(`[]${item.goType}`, [], (value, at) =>
    Array.isArray(value) ? value.map((entry) => item.decode(entry, at)) : undefined,
  );

export const mapOf = <T>(item: Decoder<T>): Decoder<ReadonlyMap<string, T>> =>
  scalar<ReadonlyMap<string, T>>(`map[string]${item.goType}`, new Map(), (value, at) =>
    isMap(value)
      ? new Map(Object.entries(value).map(([name, member]) => [name, item.decode(member, at)]))
      : undefined,
  );

/** A value that may be missing. */
export const optional = <T>(decoder: Decoder<T>): Decoder<T | undefined> => ({
  goType: decoder.goType,
  zero: undefined,
  decode: (value, at) =>
    value === undefined || value === null ? undefined : decoder.decode(value, at),
});

export const field = <T>(decoder: Decoder<T>): Field<T> => ({ decoder, prefix: "" });

/** The fields of a structure that Go embeds in another. */
export function embedded<F extends Fields>(name: string, fields: F): F {
  const entries = Object.entries(fields).map(([key, { decoder, prefix }]) => [
    key,
    { decoder, prefix: `${name}.${prefix}` },
  ]);
  return Object.fromEntries(entries) as F;
}

/** A structure with all of its fields. */
export function struct<F extends Fields>(name: string, fields: F): Decoder<Decoded<F>> {
  const zero = Object.fromEntries(
    Object.entries(fields).map(([key, { decoder }]) => [key, decoder.zero]),
  ) as Decoded<F>;
  const byName = new Map(Object.keys(fields).map((key) => [key.toLowerCase(), key]));
  return scalar(`types.${name}`, zero, (value, at) => {
    if (!isMap(value)) return undefined;
    const result: Record<string, unknown> = { ...zero };
    for (const [key, member] of Object.entries(value)) {
      const known = Object.hasOwn(fields, key) ? key : (byName.get(key.toLowerCase()) ?? "");
      const found = fields[known];
      if (found === undefined) {
        if (at.strict === true) throw new KustomizeError(`json: unknown field "${key}"`);
      } else {
        const path = [at.path, found.prefix + known].filter((part) => part !== "").join(".");
        result[known] = found.decoder.decode(member, { ...at, struct: name, path });
      }
    }
    return result as Decoded<F>;
  });
}

/** Decodes a document, in which numbers may stand for strings. */
export const decodeLeniently = <T>(decoder: Decoder<T>, value: unknown): T =>
  decoder.decode(value, { struct: "", path: "", lenient: true });

/** Decodes a document, in which every field has to be known. */
export const decodeStrictly = <T>(decoder: Decoder<T>, value: unknown): T =>
  decoder.decode(value, { struct: "", path: "", strict: true });

function mismatch(value: unknown, goType: string, { struct: name, path }: Place): KustomizeError {
  const shown = kindOf(value, goType);
  const place = name === "" ? "value" : `struct field ${name}.${path}`;
  return new KustomizeError(`json: cannot unmarshal ${shown} into Go ${place} of type ${goType}`);
}

function kindOf(value: unknown, goType: string): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" || typeof value === "bigint") {
    return goType.startsWith("int") ? `number ${value}` : "number";
  }
  if (typeof value === "boolean") return "bool";
  return typeof value;
}

/** A value without what is empty, as Go writes structures. */
export function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeros);
  if (value instanceof Map) return Object.fromEntries(value);
  if (!isMap(value)) return value;
  const entries = Object.entries(value as ReadonlyJsonMap)
    .map(([name, member]) => [name, withoutZeros(member)])
    .filter(
      ([name, member]) =>
        member !== undefined && (!isZero(member) || alwaysWritten.has(name as string)),
    );
  return Object.fromEntries(entries);
}

const alwaysWritten: ReadonlySet<string> = new Set(["select", "options", "target"]);

const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0) ||
  (isMap(value) && Object.keys(value).length === 0);
