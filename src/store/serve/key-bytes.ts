/** Decodes a key; undefined if the bytes are not well-formed UTF-8, which no key here is. */
export function keyOf(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Encodes a key. */
export const bytesOf = (key: string): Uint8Array => encoder.encode(key);

/** Returns the least key that is not below some arbitrary bytes; undefined if all keys are below. */
export function boundOf(bytes: Uint8Array): string | undefined {
  const key = keyOf(bytes);
  if (key !== undefined) return key;
  const { good, bad } = split(bytes);
  const points = Array.from(good, (char) => placeOf(char.codePointAt(0) ?? 0));
  // Appends the next character after the well-formed part; if there is none, increments the one before.
  let next = firstAbove(bad);
  while (next === places) {
    const last = points.pop();
    if (last === undefined) return undefined;
    next = last + 1;
  }
  return [...points, next].map((place) => String.fromCodePoint(pointAt(place))).join("");
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** Splits bytes into the longest well-formed beginning and the rest. */
function split(bytes: Uint8Array): { readonly good: string; readonly bad: Uint8Array } {
  const replaced = bytesOf(lenient.decode(bytes));
  let length = 0;
  while (length < bytes.length && bytes[length] === replaced[length]) length++;
  // The replacement character itself may be the beginning of the bytes.
  for (; ; length--) {
    const good = keyOf(bytes.subarray(0, length));
    if (good !== undefined) return { good, bad: bytes.subarray(length) };
  }
}

/** The number of characters, without surrogates. */
const places = 0x110000 - 0x800;
const pointAt = (place: number): number => (place < 0xd800 ? place : place + 0x800);
const placeOf = (point: number): number => (point < 0xd800 ? point : point - 0x800);

/** The position of the first character above some bytes. */
function firstAbove(bytes: Uint8Array): number {
  let low = 0;
  let high = places;
  while (low < high) {
    const middle = (low + high) >> 1;
    const isAbove = Buffer.compare(bytesOf(String.fromCodePoint(pointAt(middle))), bytes) > 0;
    if (isAbove) high = middle;
    else low = middle + 1;
  }
  return low;
}
