import { CelList, CelMap, CelOpaque, CelOptional, type CelValue } from "./cel-value.ts";

/** How many characters a text has. */
function characterCount(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const surrogate = /[\ud800-\udfff]/;

/** The size of what has one; undefined for all else. */
export function sizeOf(value: CelValue): number | undefined {
  if (typeof value === "string") return characterCount(value);
  if (value === null || typeof value !== "object") return undefined;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelList || value instanceof CelMap ? value.size : undefined;
}

/** The size by which the cost of a call is counted; what is in an optional counts for it. */
export function costSize(value: CelValue): number {
  const size = value instanceof CelOpaque ? value.size : sizeOf(value);
  if (size !== undefined) return size;
  if (value instanceof CelOptional && value.value !== undefined) return costSize(value.value);
  return 1;
}
