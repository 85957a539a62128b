/** Keys in the order in which Go writes maps: by their UTF-8 bytes. */
export function sortedKeys(map: object): string[] {
  const keys = Object.keys(map);
  return keys.length > 1 ? keys.sort(compareUtf8) : keys;
}

/** Orders strings as their UTF-8 bytes do: code units, but for surrogates, which come last. */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  if (!surrogate.test(a) && !surrogate.test(b)) return a < b ? -1 : 1;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const high = (unit: number) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
    return high(x) - high(y);
  }
  return a.length - b.length;
}

const surrogate = /[\ud800-\udfff]/;
