import { setMember } from "./strict-json.ts";

/** A map as JSON has it; its members may have any name. */
export type JsonMap = Record<string, unknown>;
export type ReadonlyJsonMap = Readonly<JsonMap>;

export function isMap(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const isNull = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

/** An own member; undefined if there is none. */
export function member(map: ReadonlyJsonMap, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** A copy that shares nothing with the value. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: JsonMap = {};
  for (const name of Object.keys(value)) setMember(copy, name, copyJson((value as JsonMap)[name]));
  return copy as T;
}

/** Whether two values are equal: members in any order, items in theirs, numbers by value. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint may equal a number
    return isNumber(a) && isNumber(b) && a == b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameJson(item, b[i]));
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every(
    (name) =>
      Object.hasOwn(b, name) && sameJson(member(a as JsonMap, name), member(b as JsonMap, name)),
  );
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";
