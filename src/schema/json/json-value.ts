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
  // Members that are copied at once cost a third of those that are set one by one.
  const copy = { ...value } as JsonMap;
  for (const name in copy) {
    const held = copy[name];
    if (typeof held === "object" && held !== null) copy[name] = copyJson(held);
  }
  return copy as T;
}

/** A value that may be changed: what is frozen in it is copied. The rest is the value's own. */
export function thawed<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Object.isFrozen(value)) return copyJson(value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = thawed(value[i] as unknown);
    return value;
  }
  const held = value as JsonMap;
  for (const name in held) {
    const inner = held[name];
    if (typeof inner === "object" && inner !== null) held[name] = thawed(inner);
  }
  return value;
}

/** Whether two values are equal: members in any order, items in theirs, numbers by value. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint may equal a number
    return isNumber(a) && isNumber(b) && a == b;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  return !Array.isArray(b) && sameMembers(a as JsonMap, b as JsonMap);
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!sameJson(a[i], b[i])) return false;
  return true;
}

function sameMembers(a: ReadonlyJsonMap, b: ReadonlyJsonMap): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names)
    if (!Object.hasOwn(b, name) || !sameJson(a[name], b[name])) return false;
  return true;
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";
