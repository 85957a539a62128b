/** Keys in the order in which Go writes maps: by their UTF-8 bytes. */
export function sortedKeys(map: object): string[] {
  const keys = Object.keys(map);
  // Mostly they are few, or in order already.
  for (let i = 1; i < keys.length; i++)
    if (compareUtf8(keys[i - 1] as string, keys[i] as string) > 0) return keys.sort(compareUtf8);
  return keys;
}

/** Orders strings as their UTF-8 bytes do: code units, but for surrogates, which come last. */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
