import { isIndex, sawIndexKeys } from "./normalise.ts";
import { stringifyJson } from "./strict-json.ts";
import type { Struct } from "./struct.ts";
import { type Either, structOf, type Type } from "./type.ts";
import { sortedKeys } from "./utf8-order.ts";

/**
 * A normalised value as JSON, as Go writes it: fields in order of declaration, maps in order of
 * their keys.
 */
export function encodeJson(struct: Struct, value: unknown): string {
  return sawIndexKeys() && hasIndexKey(struct, value) ? writeJson(value) : JSON.stringify(value);
}

/** The same for any JSON whose members are in order already. */
export function encodeAnyJson(value: unknown): string {
  return sawIndexKeys() && hasOddKey(value) ? writeJson(value) : stringifyJson(value);
}

/** Where a map has a key that looks like a whole number, the native writer would put it first. */
function hasIndexKey(struct: Struct, value: unknown): boolean {
  return finder(struct)?.(value) ?? false;
}

type Finder = (value: unknown) => boolean;
const finders = new WeakMap<Struct, Finder | undefined>();

function finder(struct: Struct): Finder | undefined {
  if (finders.has(struct)) return finders.get(struct);
  let fields: [string, Finder][] | undefined;
  // A struct that holds itself finds this one, which looks at its fields when it is first used.
  finders.set(struct, (value) => {
    fields ??= Object.entries(struct.fields).flatMap(([name, { type }]) => {
      const find = typeFinder(type);
      return find ? [[name, find] as [string, Finder]] : [];
    });
    const values = value as Record<string, unknown>;
    for (const [name, find] of fields) {
      const held = values[name];
      if (held !== undefined && held !== null && find(held)) return true;
    }
    return false;
  });
  return finders.get(struct);
}

function typeFinder(type: Type): Finder | undefined {
  if (type.code === "struct") return finder(structOf(type) as Struct);
  if (type.code === "either") return eitherFinder(type);
  if (type.code === "json" || type.code === "raw" || type.code === "fieldsV1") return hasOddKey;
  if (type.code !== "list" && type.code !== "map") return undefined;
  const item = typeFinder(type.of as Type);
  if (type.code === "list") {
    if (!item) return undefined;
    return (list) => (list as unknown[]).some(item);
  }
  return (map) => {
    for (const key in map as object) if (isIndex(key)) return true;
    return item ? Object.values(map as object).some(item) : false;
  };
}

function eitherFinder(type: Type): Finder {
  const object = finder(structOf(type) as Struct);
  const other = typeFinder((type.either as Either).other);
  return (value) => {
    if (Array.isArray(value)) return other?.(value) ?? false;
    return typeof value === "object" && (object?.(value) ?? false);
  };
}

function hasOddKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasOddKey);
  return Object.entries(value).some(([key, held]) => isIndex(key) || hasOddKey(held));
}

/** Only maps can have such keys: an object that has one is written in the order of its keys. */
function writeJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return stringifyJson(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  const own = Object.keys(value);
  const keys = own.some(isIndex) ? sortedKeys(value) : own;
  const members = keys.map(
    (key) => `${JSON.stringify(key)}:${writeJson((value as Record<string, unknown>)[key])}`,
  );
  return `{${members.join(",")}}`;
}
