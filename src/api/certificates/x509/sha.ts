export type HashName = "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";

/** The digest of a message. */
export function digest(hash: HashName, message: Uint8Array): Uint8Array {
  switch (hash) {
    case "SHA-1":
      return sha1(message);
    case "SHA-256":
      return sha256(message);
    case "SHA-384":
      return sha512(message, constants().initial384).subarray(0, 48);
    case "SHA-512":
      return sha512(message, constants().initial512);
  }
}

/** The message with a one, zeros and its length in bits, to whole blocks. */
function padded(message: Uint8Array, block: 64 | 128): DataView {
  const length = Math.ceil((message.length + 1 + block / 8) / block) * block;
  const bytes = new Uint8Array(length);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(length - 8, BigInt(message.length) * 8n);
  return view;
}

const rotateLeft = (word: number, by: number): number => (word << by) | (word >>> (32 - by));
const rotateRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function sha1(message: Uint8Array): Uint8Array {
  const view = padded(message, 64);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const w = new Int32Array(80);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(block + i * 4);
    for (let i = 16; i < 80; i++)
      w[i] = rotateLeft(at(w, i - 3) ^ at(w, i - 8) ^ at(w, i - 14) ^ at(w, i - 16), 1);
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    for (let i = 0; i < 80; i++) {
      const next = (rotateLeft(a, 5) + sha1Round(i, b, c, d) + e + at(w, i)) | 0;
      [a, b, c, d, e] = [next, a, rotateLeft(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((word, i) => {
      state[i] = ((state[i] ?? 0) + word) | 0;
    });
  }
  return bytesOfWords(state);
}

/** The function and the constant of a round. */
function sha1Round(i: number, b: number, c: number, d: number): number {
  if (i < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (i < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (i < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

const at = (words: Int32Array, i: number): number => words[i] ?? 0;

function bytesOfWords(words: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, i) => {
    view.setInt32(i * 4, word);
  });
  return new Uint8Array(view.buffer);
}

/** The first 64 bits of the fractional parts of roots of the first primes: constants of SHA-2. */
function rootBits(count: number, root: 2n | 3n): bigint[] {
  const bits: bigint[] = [];
  for (let prime = 2n; bits.length < count; prime++) {
    if (!isPrime(prime)) continue;
    bits.push(integerRoot(prime << (64n * root), root) & 0xffffffffffffffffn);
  }
  return bits;
}

function isPrime(value: bigint): boolean {
  for (let divisor = 2n; divisor * divisor <= value; divisor++)
    if (value % divisor === 0n) return false;
  return true;
}

/** The largest integer whose power is not greater than the value. */
function integerRoot(value: bigint, root: 2n | 3n): bigint {
  let low = 0n;
  let high = 1n << 72n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** root <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}

interface Constants {
  readonly k256: Int32Array;
  readonly k512: readonly bigint[];
  readonly initial256: readonly number[];
  readonly initial384: readonly bigint[];
  readonly initial512: readonly bigint[];
}

/** Made when they are first needed: it takes some milliseconds, and few processes hash. */
let made: Constants | undefined;

function constants(): Constants {
  if (made) return made;
  const k512 = rootBits(80, 3n);
  const roots = rootBits(16, 2n);
  const upper = (bits: bigint): number => Number(bits >> 32n) | 0;
  made = {
    k256: Int32Array.from(k512.slice(0, 64), upper),
    k512,
    initial256: roots.slice(0, 8).map(upper),
    initial384: roots.slice(8),
    initial512: roots.slice(0, 8),
  };
  return made;
}

function sha256(message: Uint8Array): Uint8Array {
  const view = padded(message, 64);
  const { k256, initial256 } = constants();
  const state = [...initial256];
  const w = new Int32Array(64);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const x = at(w, i - 15);
      const y = at(w, i - 2);
      const s0 = rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x >>> 3);
      const s1 = rotateRight(y, 17) ^ rotateRight(y, 19) ^ (y >>> 10);
      w[i] = (at(w, i - 16) + s0 + at(w, i - 7) + s1) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(k256, i) + at(w, i)) | 0;
      const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = ((state[i] ?? 0) + word) | 0;
    });
  }
  return bytesOfWords(state);
}

const word64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate64 = (word: bigint, by: bigint): bigint => word64((word >> by) | (word << (64n - by)));

function sha512(message: Uint8Array, initial: readonly bigint[]): Uint8Array {
  const view = padded(message, 128);
  const { k512 } = constants();
  const state = [...initial];
  const w = new BigUint64Array(80);
  const word = (i: number): bigint => w[i] ?? 0n;
  for (let block = 0; block < view.byteLength; block += 128) {
    for (let i = 0; i < 16; i++) w[i] = view.getBigUint64(block + i * 8);
    for (let i = 16; i < 80; i++) {
      const x = word(i - 15);
      const y = word(i - 2);
      const s0 = rotate64(x, 1n) ^ rotate64(x, 8n) ^ (x >> 7n);
      const s1 = rotate64(y, 19n) ^ rotate64(y, 61n) ^ (y >> 6n);
      w[i] = word(i - 16) + s0 + word(i - 7) + s1;
    }
    let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
    for (let i = 0; i < 80; i++) {
      const s1 = rotate64(e, 14n) ^ rotate64(e, 18n) ^ rotate64(e, 41n);
      const t1 = h + s1 + ((e & f) ^ (word64(~e) & g)) + (k512[i] ?? 0n) + word(i);
      const s0 = rotate64(a, 28n) ^ rotate64(a, 34n) ^ rotate64(a, 39n);
      const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [word64(t1 + t2), a, b, c, word64(d + t1), e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => {
      state[i] = word64((state[i] ?? 0n) + value);
    });
  }
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((value, i) => {
    out.setBigUint64(i * 8, value);
  });
  return new Uint8Array(out.buffer);
}
