import { badRequest } from "./docker-error.ts";
import { isObject, type JsonObject } from "./json-value.ts";

/** Reads a value of a request, or returns the default of an absent one; the field is for the error. */
export type Decode<T> = (value: unknown, field: string) => T;

export const text: Decode<string> = (value, field) => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : wrongType(value, field, "string");
};

export const integer: Decode<number> = (value, field) => {
  if (value === undefined || value === null) return 0;
  return Number.isSafeInteger(value) ? (value as number) : wrongType(value, field, "int64");
};

export const flag: Decode<boolean> = (value, field) => {
  if (value === undefined || value === null) return false;
  return typeof value === "boolean" ? value : wrongType(value, field, "bool");
};

/** A field whose absence means something else than its zero. */
export const optional =
  <T>(decode: Decode<T>): Decode<T | null> =>
  (value, field) =>
    value === undefined || value === null ? null : decode(value, field);

/** An absent list is null, as clients print it. */
export const list =
  <T>(decode: Decode<T>): Decode<readonly T[] | null> =>
  (value, field) => {
    if (value === undefined || value === null) return null;
    if (!Array.isArray(value)) return wrongType(value, field, "[]string");
    return value.map((one) => decode(one, field));
  };

export const strings: Decode<readonly string[] | null> = list(text);

/** A command: clients send a list, or one word as a string. */
export const words: Decode<readonly string[] | null> = (value, field) =>
  typeof value === "string" ? [value] : strings(value, field);

export const map =
  <T>(decode: Decode<T>): Decode<Readonly<Record<string, T>> | null> =>
  (value, field) => {
    if (value === undefined || value === null) return null;
    if (!isObject(value)) return wrongType(value, field, "map[string]string");
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, decode(one, `${field}.${key}`)]),
    );
  };

export const emptyObject: Decode<object> = () => ({});

type Struct<F> = { readonly [K in keyof F]: F[K] extends Decode<infer T> ? T : never };

/** An object with declared fields; others are ignored, and the case of names does not matter. */
export const struct =
  <const F extends Readonly<Record<string, Decode<unknown>>>>(fields: F): Decode<Struct<F>> =>
  (value, field) => {
    if (value !== undefined && value !== null && !isObject(value))
      return wrongType(value, field, "struct");
    const given = lowerCaseKeys(isObject(value) ? value : {});
    return Object.fromEntries(
      Object.entries(fields).map(([name, decode]) => [
        name,
        decode(given.get(name.toLowerCase()), field === "" ? name : `${field}.${name}`),
      ]),
    ) as Struct<F>;
  };

/** What a decoder reads. */
export type Decoded<D> = D extends Decode<infer T> ? T : never;

function lowerCaseKeys(value: JsonObject): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value).map(([key, one]) => [key.toLowerCase(), one]));
}

function wrongType(value: unknown, field: string, wanted: string): never {
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  throw badRequest(
    `invalid JSON: json: cannot unmarshal ${kind} into Go struct field ${field} of type ${wanted}`,
  );
}
