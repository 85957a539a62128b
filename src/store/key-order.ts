import { StoreError } from "./store.ts";

/**
 * A string that JavaScript's own comparison orders as UTF-8 would order the key.
 *
 * The two orders differ only where surrogates (U+10000 and beyond) meet U+E000 to U+FFFF, so those
 * code units change places; other keys, that is almost all, are returned as they are. A prefix of a
 * key becomes a prefix of its sort key.
 */
export function sortKey(key: string): string {
  if (!highUnits.test(key)) return key;
  if (loneSurrogate.test(key)) {
    throw new StoreError("Invalid", `key ${JSON.stringify(key)} is not well-formed Unicode`);
  }
  return key.replace(everyHighUnit, (unit) => String.fromCharCode(swap(unit.charCodeAt(0))));
}

/** The least sort key greater than all that start with the prefix; undefined if there is none. */
export function prefixEnd(prefix: string): string | undefined {
  for (let length = prefix.length; length > 0; length--) {
    const last = prefix.charCodeAt(length - 1);
    if (last < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(last + 1);
  }
  return undefined;
}

const highUnits = /[\ud800-\uffff]/;
const everyHighUnit = /[\ud800-\uffff]/g;
const loneSurrogate = /\p{Surrogate}/u;

function swap(unit: number): number {
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
