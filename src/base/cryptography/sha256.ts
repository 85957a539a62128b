/** SHA-256 of short texts, for names that others derive in the same way; it is too slow for content. */
export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(((message.length + 8) >> 6) * 64 + 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 0x20000000));
  view.setUint32(padded.length - 4, message.length << 3);
  const state = [...initial];
  for (let at = 0; at < padded.length; at += 64) addBlock(state, view, at);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (const [i, word] of state.entries()) out.setUint32(i * 4, word);
  return digest;
}

/** SHA-256 of a text in hexadecimal digits. */
export const sha256Hex = (text: string): string =>
  Array.from(sha256(new TextEncoder().encode(text)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** The first 64 primes: their roots are the constants. */
const primes: readonly number[] = Array.from({ length: 310 }, (_, i) => i + 2).filter((n) =>
  Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, i) => i + 2).every((d) => n % d !== 0),
);
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const constants = primes.map((prime) => fraction(Math.cbrt(prime)));

function addBlock(state: number[], view: DataView, at: number): void {
  const words: number[] = [];
  for (let i = 0; i < 64; i++) words.push(i < 16 ? view.getUint32(at + i * 4) : mixed(words, i));
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (const [i, word] of words.entries()) {
    const chosen = (e & f) ^ (~e & g);
    const first = (h + sum(e, 6, 11, 25) + chosen + (constants[i] ?? 0) + word) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (sum(a, 2, 13, 22) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries())
    state[i] = ((state[i] ?? 0) + value) | 0;
}

function mixed(words: readonly number[], i: number): number {
  const early = words[i - 15] ?? 0;
  const late = words[i - 2] ?? 0;
  const a = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
  const b = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
  return ((words[i - 16] ?? 0) + a + (words[i - 7] ?? 0) + b) | 0;
}

const sum = (word: number, ...bits: readonly number[]): number =>
  bits.reduce((total, count) => total ^ rotate(word, count), 0);
const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));
