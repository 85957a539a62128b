import { isMap, type JsonMap } from "../../../schema/json/json-value.ts";
import { goType } from "../../../schema/values/go-print.ts";

/** A number that a template makes, whose type JSON's numbers do not tell. */
export class GoNumber {
  readonly type: "int" | "uint8" | "float64";
  readonly value: number | bigint;

  constructor(type: GoNumber["type"], value: number | bigint) {
    this.type = type;
    this.value = value;
  }
}

/**
 * A value of a template as Go's reflection has it: the place that holds it may be of the type of the
 * value, or of any type (`interface {}`), as members and items of JSON are. Undefined is no value at all.
 */
export interface Place {
  readonly value: unknown;
  readonly isAny: boolean;
}

export const concrete = (value: unknown): Place => ({ value, isAny: false });

/** What a map or a list holds. */
export const held = (value: unknown): Place => ({ value: value ?? null, isAny: true });

export const goInt = (value: number): Place => concrete(new GoNumber("int", value));

/** The value without its place: a nil that is held is no value. */
export const opened = (place: Place | undefined): Place | undefined => {
  if (!place?.isAny) return place;
  return place.value === null ? undefined : concrete(place.value);
};

/** The kinds of values among which comparisons are made. */
export type BasicKind = "bool" | "int" | "uint" | "float" | "string" | undefined;

export function basicKind(place: Place | undefined): BasicKind {
  const value = place?.value;
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  const type = typeName(value);
  if (type === "uint8") return "uint";
  if (type === "float64") return "float";
  return type === "int" || type === "int64" ? "int" : undefined;
}

export const isInteger = (value: unknown): boolean =>
  ["int", "int64", "uint8"].includes(typeName(value));

/** The number that a value of a numeric kind is. */
export function numeric(value: unknown): number | bigint {
  return value instanceof GoNumber ? value.value : (value as number | bigint);
}

/** The type of a value, as errors name it. */
export function typeName(value: unknown): string {
  return value instanceof GoNumber ? value.type : goType(value);
}

/** The type of the place. */
export const placeType = (place: Place): string =>
  place.isAny ? "interface {}" : typeName(place.value);

export function isTrue(place: Place | undefined): boolean {
  const value = place?.value;
  if (value === undefined || value === null) return false;
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  if (typeof value === "boolean") return value;
  if (isGoMap(value)) return Object.keys(value).length > 0;
  return Number(numeric(value)) !== 0;
}

export const isGoMap = (value: unknown): value is JsonMap =>
  isMap(value) && !(value instanceof GoNumber);

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
export const bytesOf = (text: string): Uint8Array => encoder.encode(text);
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);
