import { StoreError } from "./store.ts";

/**
 * Returns a string that JavaScript compares in the order of the key's UTF-8 bytes.
 *
 * The two orders differ only between surrogates (U+10000 and beyond) and U+E000 to U+FFFF, so those code
 * units are swapped; almost all keys are returned unchanged. A prefix of a key becomes a prefix of its
 * sort key.
 */
export function sortKey(key: string): string {
  if (!highUnits.test(key)) return key;
  if (loneSurrogate.test(key)) {
    throw new StoreError("Invalid", `key ${JSON.stringify(key)} is not well-formed Unicode`);
  }
  return key.replace(everyHighUnit, (unit) => String.fromCharCode(swap(unit.charCodeAt(0))));
}

/**
 * Returns the least sort key greater than all that start with the prefix; undefined if there is none.
 */
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
