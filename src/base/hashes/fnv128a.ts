/** The 128-bit FNV-1a hash of a text in UTF-8, as hexadecimal digits: they sort as the numbers do. */
export function fnv128a(text: string): string {
  // Four parts of 32 bits, the highest first.
  let a = 0x6c62272e;
  let b = 0x07bb0142;
  let c = 0x62b82175;
  let d = 0x6295c58d;
  for (const byte of new TextEncoder().encode(text)) {
    d = (d ^ byte) >>> 0;
    // Multiply by 2 ** 88 + 0x13b: what the shift leaves of the number goes into the upper half.
    const high = (((c & 0xff) << 24) | (d >>> 8)) >>> 0;
    const low = (d << 24) >>> 0;
    const fourth = d * 0x13b;
    const third = c * 0x13b + carry(fourth);
    const second = b * 0x13b + carry(third) + low;
    const first = a * 0x13b + carry(second) + high;
    a = first % word;
    b = second % word;
    c = third % word;
    d = fourth % word;
  }
  return [a, b, c, d].map((part) => part.toString(16).padStart(8, "0")).join("");
}

const word = 2 ** 32;
const carry = (sum: number): number => Math.floor(sum / word);
