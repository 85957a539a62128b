/** SHA-1, for the WebSocket handshake that is defined by it; never for secrets. */
export function sha1(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(((message.length + 8) >> 6) * 64 + 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 0x20000000));
  view.setUint32(padded.length - 4, message.length << 3);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let at = 0; at < padded.length; at += 64) addBlock(state, view, at);
  const digest = new Uint8Array(20);
  const out = new DataView(digest.buffer);
  for (const [i, word] of state.entries()) out.setUint32(i * 4, word);
  return digest;
}

function addBlock(state: number[], view: DataView, at: number): void {
  const words: number[] = [];
  for (let i = 0; i < 80; i++) {
    const mixed = i < 16 ? view.getUint32(at + i * 4) : rotate(xorBefore(words, i), 1);
    words.push(mixed);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (const [i, word] of words.entries()) {
    const [f, k] = round(i, b, c, d);
    const next = (rotate(a, 5) + f + e + k + word) | 0;
    [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
  }
  for (const [i, value] of [a, b, c, d, e].entries()) state[i] = ((state[i] ?? 0) + value) | 0;
}

const xorBefore = (words: readonly number[], i: number): number =>
  [3, 8, 14, 16].reduce((mixed, back) => mixed ^ (words[i - back] ?? 0), 0);

function round(i: number, b: number, c: number, d: number): [f: number, k: number] {
  if (i < 20) return [(b & c) | (~b & d), 0x5a827999];
  if (i < 40) return [b ^ c ^ d, 0x6ed9eba1];
  if (i < 60) return [(b & c) | (b & d) | (c & d), 0x8f1bbcdc];
  return [b ^ c ^ d, 0xca62c1d6];
}

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));
