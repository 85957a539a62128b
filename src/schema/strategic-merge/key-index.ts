import { isMap, isNull, member } from "../json/json-value.ts";
import { goType } from "../values/go-print.ts";
import { breaks, noMergeKey, notAMap, StrategicMergeError } from "./strategic-merge-error.ts";

/** Where the first item with a key stands; -1 if there is none. */
export type Find = (key: unknown) => number;

/** Finds items of a list by the member that identifies them; throws at one that is no map. */
export function findByKey(items: readonly unknown[], mergeKey: string): Find {
  const broken = items.findIndex((item) => !isMap(item));
  const maps = (broken < 0 ? items : items.slice(0, broken)) as readonly Record<string, unknown>[];
  const find = finder(
    maps,
    (item) => Object.hasOwn(item, mergeKey),
    (item) => item[mergeKey],
  );
  return (key) => {
    const found = find(key);
    if (found < 0 && broken >= 0)
      throw new StrategicMergeError(`value for key ${broken} is not a map`);
    return found;
  };
}

/** Finds items by that member or, without one, by value; what is no map counts as one without it. */
export function rankBy(items: readonly unknown[], mergeKey: string | undefined): Find {
  return finder(
    items,
    () => true,
    (item) => identity(item, mergeKey),
  );
}

/** What an item is identified by. */
export function identity(item: unknown, mergeKey: string | undefined): unknown {
  if (mergeKey === undefined) return item;
  return isMap(item) ? member(item, mergeKey) : undefined;
}

/** The value by which an item is matched; throws if it is no map or has none. */
export function keyOf(item: unknown, mergeKey: string): unknown {
  if (!isMap(item)) throw notAMap(item);
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return item[mergeKey];
}

/** Whether two scalars are the same; Go cannot compare maps, nor lists. */
export function sameScalar(a: unknown, b: unknown): boolean {
  if (isNull(a)) return isNull(b);
  if (typeof a === "object" && goType(a) === goType(b))
    throw breaks(`comparing uncomparable type ${goType(a)}`);
  return a === b;
}

/** A set of scalars, which says whether a value is in it; Go cannot put maps in one, nor lists. */
export function scalarSet(items: readonly unknown[]): (value: unknown) => boolean {
  const set = new Set(items.map(hashable));
  return (value) => set.has(hashable(value));
}

function hashable(value: unknown): unknown {
  if (typeof value === "object" && value !== null)
    throw breaks(`hash of unhashable type ${goType(value)}`);
  return value;
}

/** Looks up what can be compared among the keys; what cannot is compared one by one, to break as Go does. */
function finder<T>(
  items: readonly T[],
  has: (item: T) => boolean,
  value: (item: T) => unknown,
): Find {
  const keys = items.map((item) => (has(item) ? (value(item) ?? null) : undefined));
  const placeOf = keys.length > few ? tableOf(keys) : (key: unknown) => keys.indexOf(key);
  return (key) => {
    if (typeof key === "object" && key !== null)
      return items.findIndex((item) => has(item) && sameScalar(value(item), key));
    return placeOf(key ?? null);
  };
}

/** So few are looked through faster than a table of them is made. */
export const few = 16;

function tableOf(keys: readonly unknown[]): Find {
  const places = new Map<unknown, number>();
  for (const [i, key] of keys.entries())
    if (key !== undefined && !places.has(key)) places.set(key, i);
  return (key) => places.get(key) ?? -1;
}
