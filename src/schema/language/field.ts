import type { At } from "./report.ts";
import type { Struct } from "./struct.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  fieldsType,
  int32Type,
  int64Type,
  intOrStringType,
  jsonType,
  listType,
  mapType,
  microTimeType,
  namedString,
  quantityType,
  rawType,
  stringType,
  structType,
  type Type,
  timeType,
  wrappedListType,
} from "./type.ts";

/**
 * What may be assumed of a field: `required` must be written by a client, `present` is filled in by
 * the server, `optional` may be absent.
 */
export type Presence = "required" | "present" | "optional";

/**
 * How a zero value is written.
 * - `omit`: it is not; "" and absent are the same (Go: a value with omitempty).
 * - `pointer`: as it is; zero and absent differ (Go: a pointer with omitempty).
 * - `always`: always, also when the client left the field out (Go: a value without omitempty; a
 *   struct without omitzero, as `{}`).
 * - `null`: absent is written as null (Go: a pointer without omitempty).
 */
export type Zero = "omit" | "pointer" | "always" | "null";

export type ListKind = "atomic" | "set" | "map";
export type PatchStrategy = "merge" | "replace" | "retainKeys" | "merge,retainKeys";

/** Gives the messages of what is wrong with a value; none when it is valid. */
export type Format<T = string> = (value: T) => readonly string[];
/** A rule of one field; it sees the struct it stands in. */
export type FieldRule<T = unknown> = (value: T, at: At, parent: unknown) => void;

/** One line of a struct: protobuf number, type, and all that the server knows of the field. */
export class Field<T = unknown, P extends Presence = Presence, I = T> {
  declare readonly $value: T;
  declare readonly $input: I;
  declare readonly $presence: P;
  readonly tag: number;
  readonly type: Type;
  zero: Zero;
  /** The numbers of the messages that hold it in protobuf, outermost first, where JSON has it inline. */
  declare under: readonly number[];
  /** The names of those messages, which decoding errors show. */
  declare embeddedIn: readonly string[];
  /** In OpenAPI's list of required fields. */
  declare isRequired: boolean;
  /** The detail of the error when it is missing; undefined: not checked. */
  declare requiredDetail: string | undefined;
  declare defaultValue: unknown;
  declare minimum: number | undefined;
  declare maximum: number | undefined;
  declare allowed: readonly string[] | undefined;
  declare constants: readonly string[] | undefined;
  declare isImmutable: boolean;
  declare format: Format | undefined;
  declare rule: FieldRule | undefined;
  declare listKind: ListKind | undefined;
  declare listKeys: readonly string[] | undefined;
  declare patchStrategy: PatchStrategy | undefined;
  declare patchMergeKey: string | undefined;
  declare isAtomic: boolean;
  declare isGranular: boolean;
  declare description: string;

  constructor(tag: number, type: Type, zero: Zero) {
    this.tag = tag;
    this.type = type;
    this.zero = zero;
  }

  /** What the field means, in our words. */
  doc(description: string): this {
    this.description = description;
    return this;
  }
  /** Must be given: an empty value is answered with "Required value" (and the detail). */
  required(detail = ""): Field<T, "required", I> {
    this.isRequired = true;
    this.requiredDetail = detail;
    return this as never;
  }
  /** Declared as required in OpenAPI, though no rule of the server asks for it. */
  expected(): Field<T, "required", I> {
    this.isRequired = true;
    return this as never;
  }
  /** Filled in when absent. Objects and lists are copied. */
  default(value: I): Field<T, "present", I> {
    this.defaultValue = value;
    return this as never;
  }
  /** Zero and absent differ: zero is kept and written. */
  pointer(): this {
    this.zero = "pointer";
    return this;
  }
  /** Always written, also when it is zero or was left out. */
  always(): Field<T, P extends "required" ? P : "present", I> {
    this.zero = "always";
    return this as never;
  }
  /** Written as null when absent. */
  nullable(): this {
    this.zero = "null";
    return this;
  }
  /** Left out when zero, for a struct that is otherwise always written. */
  omitZero(): Field<T, "optional", I> {
    this.zero = "omit";
    return this as never;
  }
  min(minimum: number): this {
    this.minimum = minimum;
    return this;
  }
  max(maximum: number): this {
    this.maximum = maximum;
    return this;
  }
  /** Only these values are accepted (in the order in which the error lists them). */
  values<V extends string & T>(...values: readonly V[]): Field<V, P, V> {
    this.allowed = values;
    this.constants = values;
    return this as never;
  }
  /** The known values; others are not refused here. */
  known(...values: readonly string[]): this {
    this.constants = values;
    return this;
  }
  /** May not change in an update. */
  immutable(): this {
    this.isImmutable = true;
    return this;
  }
  /** A non-empty value must be well formed. */
  as(format: Format<T>): this {
    this.format = format as Format;
    return this;
  }
  /** A rule of this field alone; it runs when the field is present. */
  check(rule: (value: T, at: At, parent: unknown) => void): this {
    this.rule = rule as FieldRule;
    return this;
  }
  /** The list, map or struct is owned and replaced as a whole. */
  atomic(): this {
    if (this.type.code === "list" || this.type.code === "bytes") this.listKind = "atomic";
    else this.isAtomic = true;
    return this;
  }
  /** Owned field by field, though its struct is otherwise owned as a whole. */
  granular(): this {
    this.isGranular = true;
    return this;
  }
  /** Items are unique. */
  set(): this {
    this.listKind = "set";
    return this;
  }
  /** Items are identified by these fields, in server-side apply and in strategic merge patches. */
  keyedBy(...keys: readonly ItemKey<T>[]): this {
    this.listKind = "map";
    this.listKeys = keys;
    return this.merge(keys[0]);
  }
  /** Items are identified by these fields in server-side apply only. */
  mapKeys(...keys: readonly ItemKey<T>[]): this {
    this.listKind = "map";
    this.listKeys = keys;
    return this;
  }
  /** Strategic merge patches merge items by this field, or as a set without one. */
  merge(key?: ItemKey<T>): this {
    this.patchStrategy = "merge";
    this.patchMergeKey = key;
    return this;
  }
  patch(strategy: PatchStrategy, key?: ItemKey<T>): this {
    this.patchStrategy = strategy;
    this.patchMergeKey = key;
    return this;
  }
}

// Of thousands of fields most have few facts: what is not said stands on the prototype, once for all.
Object.assign(Field.prototype, {
  under: [],
  embeddedIn: [],
  isRequired: false,
  requiredDetail: undefined,
  defaultValue: undefined,
  minimum: undefined,
  maximum: undefined,
  allowed: undefined,
  constants: undefined,
  isImmutable: false,
  format: undefined,
  rule: undefined,
  listKind: undefined,
  listKeys: undefined,
  patchStrategy: undefined,
  patchMergeKey: undefined,
  isAtomic: false,
  isGranular: false,
  description: "",
});

type ItemKey<T> = T extends readonly (infer E)[] ? keyof E & string : never;
type Optional<T, I = T> = Field<T, "optional", I>;

export const string = (tag: number): Optional<string> => new Field(tag, stringType, "omit");
/** A string whose type has a name of its own in Go. */
export const named = (tag: number, goType: string): Optional<string> =>
  new Field(tag, namedString(goType), "omit");
export const bool = (tag: number): Optional<boolean> => new Field(tag, boolType, "omit");
export const int32 = (tag: number): Optional<number> => new Field(tag, int32Type, "omit");
export const int64 = (tag: number): Optional<number> => new Field(tag, int64Type, "omit");
export const double = (tag: number): Optional<number> => new Field(tag, doubleType, "omit");
/** Bytes; base64 in JSON and in memory. */
export const bytes = (tag: number): Optional<string> => new Field(tag, bytesType, "omit");
/** A time to the second, RFC 3339 in UTC. */
export const time = (tag: number): Optional<string> => new Field(tag, timeType, "pointer");
/** A time to the microsecond. */
export const microTime = (tag: number): Optional<string> =>
  new Field(tag, microTimeType, "pointer");
export const duration = (tag: number): Optional<string> => new Field(tag, durationType, "pointer");
export const quantity = (tag: number): Optional<string, string | number> =>
  new Field(tag, quantityType, "pointer");
export const intOrString = (tag: number): Optional<number | string> =>
  new Field(tag, intOrStringType, "pointer");
/** Any JSON, kept as it is. */
export const raw = (tag: number): Optional<unknown> => new Field(tag, rawType, "pointer");
/** Any JSON value; its members are put in the order of their names. */
export const json = (tag: number): Optional<unknown> => new Field(tag, jsonType, "pointer");
/** A value of a type that has no word of its own; absent and zero differ. */
export const optional = <T, I>(tag: number, type: Type<T, I>): Optional<T, I> =>
  new Field(tag, type, "pointer");
export const fieldsV1 = (tag: number): Optional<unknown> => new Field(tag, fieldsType, "pointer");

/** A struct that may be absent (Go: a pointer). */
export const message = <T, I>(
  tag: number,
  struct: Struct<T, I> | (() => Struct<T, I>),
): Optional<T, I> => new Field(tag, structType(struct), "pointer");
/** A struct that is always there, written as `{}` when empty (Go: a value). */
export const value = <T, I>(tag: number, struct: Struct<T, I>): Field<T, "present", I> =>
  new Field(tag, structType(struct), "always");
/** The fields of a struct that JSON writes beside the others and protobuf nests under `tag`. */
export function inline<F extends Readonly<Record<string, Field>>>(
  tag: number,
  struct: { readonly fields: F; readonly shortName: string },
): F {
  const nested = Object.entries(struct.fields).map(([name, field]) => {
    const copy = Object.assign(Object.create(Field.prototype) as Field, field);
    copy.under = [tag, ...field.under];
    copy.embeddedIn = [struct.shortName, ...field.embeddedIn];
    return [name, copy] as const;
  });
  return Object.fromEntries(nested) as unknown as F;
}

export const list = <T, I>(
  tag: number,
  struct: Struct<T, I>,
): Optional<readonly T[], readonly I[]> => new Field(tag, listType(structType(struct)), "omit");
export const listOf = <T, I>(tag: number, of: Type<T, I>): Optional<readonly T[], readonly I[]> =>
  new Field(tag, listType(of), "omit");
export const strings = (tag: number): Optional<readonly string[]> => listOf(tag, stringType);
/** A list that protobuf wraps in a message of its own. */
export const wrappedList = <T, I>(
  tag: number,
  of: Type<T, I>,
  goType: string,
): Optional<readonly T[], readonly I[]> => new Field(tag, wrappedListType(of, goType), "omit");
export const mapOf = <T, I>(
  tag: number,
  of: Type<T, I>,
  goKey?: string,
): Optional<Readonly<Record<string, T>>, Readonly<Record<string, I>>> =>
  new Field(tag, mapType(of, goKey), "omit");
export const stringMap = (tag: number): Optional<Readonly<Record<string, string>>> =>
  mapOf(tag, stringType);
