import { isIndex, sawIndexKeys } from "../language/index-keys.ts";
import { textOfFields } from "../language/shared-fields.ts";
import type { Struct } from "../language/struct.ts";
import { type Either, structOf, type Type } from "../language/type.ts";
import { sortedKeys } from "../values/utf8-order.ts";
import { stringifyJson } from "./strict-json.ts";

/**
 * A normalised value as JSON, as Go writes it: fields in order of declaration, maps in order of
 * their keys.
 */
export function encodeJson(struct: Struct, value: unknown): string {
  if (sawIndexKeys() && hasIndexKey(struct, value)) return writeJson(value);
  return withKnownFields(value as ManagedObject) ?? JSON.stringify(value);
}

/** What of an object can say who owns its fields: half of its text, which mostly is known. */
interface ManagedObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: { readonly managedFields?: readonly ManagedEntry[] };
}
interface ManagedEntry {
  readonly fieldsV1?: object;
  readonly subresource?: string;
}

/** The JSON of an object around that of the fields that are owned; undefined where that is not known. */
function withKnownFields(object: ManagedObject): string | undefined {
  if (!object.metadata?.managedFields) return undefined;
  const { kind, apiVersion, metadata, ...rest } = object;
  const { managedFields, ...described } = metadata as Required<typeof metadata>;
  const entries: string[] = [];
  for (const { fieldsV1, subresource, ...entry } of managedFields) {
    const fields = fieldsV1 && textOfFields(fieldsV1);
    if (fields === undefined) return undefined;
    entries.push(around(`"fieldsV1":${fields}`, entry, { subresource }));
  }
  const owners = `"managedFields":[${entries.join(",")}]`;
  return around(`"metadata":${around(owners, described)}`, { kind, apiVersion }, rest);
}

/** The JSON of an object with a member whose JSON is known, and the members before and after it. */
function around(member: string, before: object, after: object = {}): string {
  const head = JSON.stringify(before);
  const tail = JSON.stringify(after);
  const start = head === "{}" ? "{" : `${head.slice(0, -1)},`;
  return `${start}${member}${tail === "{}" ? "}" : `,${tail.slice(1)}`}`;
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
