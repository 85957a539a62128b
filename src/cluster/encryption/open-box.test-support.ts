/** Opens a box of NaCl, XSalsa20 and Poly1305, written anew from their definitions; throws if the tag is wrong. */
export function openBox(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Buffer {
  const subkey = hsalsa20(key, nonce.subarray(0, 16));
  const [tag, sealed] = [box.subarray(0, 16), box.subarray(16)];
  const stream = keystream(subkey, nonce.subarray(16), 32 + sealed.length);
  if (poly1305(stream.subarray(0, 32), sealed) !== little(tag)) throw new Error("the tag is wrong");
  return Buffer.from(sealed.map((byte, i) => byte ^ (stream[32 + i] ?? 0)));
}

const little = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

function poly1305(key: Uint8Array, text: Uint8Array): bigint {
  const r = little(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn;
  const p = 2n ** 130n - 5n;
  let sum = 0n;
  for (let at = 0; at < text.length; at += 16) {
    const block = text.subarray(at, at + 16);
    sum = ((sum + little(block) + (1n << BigInt(8 * block.length))) * r) % p;
  }
  return (sum + little(key.subarray(16, 32))) & (2n ** 128n - 1n);
}

const wordsOf = (bytes: Uint8Array): number[] =>
  Array.from({ length: bytes.length / 4 }, (_, i) => Buffer.from(bytes).readUInt32LE(i * 4));

const constants = wordsOf(Buffer.from("expand 32-byte k"));

/** The matrix of Salsa20: constants on the diagonal, the key around 16 bytes of input. */
const matrix = (key: Uint8Array, input: Uint8Array): number[] => {
  const [k, n, c] = [wordsOf(key), wordsOf(input), constants];
  const at = (words: readonly number[], i: number): number => words[i] ?? 0;
  return [
    ...[at(c, 0), ...k.slice(0, 4), at(c, 1)],
    ...[...n, at(c, 2)],
    ...[...k.slice(4), at(c, 3)],
  ];
};

/** Twenty rounds: columns and rows by turns. */
function rounds(words: readonly number[]): number[] {
  const x = [...words];
  const turn = (to: number, [a, b]: readonly [number, number], by: number): void => {
    const sum = ((x[a] ?? 0) + (x[b] ?? 0)) | 0;
    x[to] = ((x[to] ?? 0) ^ ((sum << by) | (sum >>> (32 - by)))) >>> 0;
  };
  const quarter = (a: number, b: number, [c, d]: readonly [number, number]): void => {
    turn(b, [a, d], 7);
    turn(c, [b, a], 9);
    turn(d, [c, b], 13);
    turn(a, [d, c], 18);
  };
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of columns) quarter(a, b, [c, d]);
    for (const [a, b, c, d] of rows) quarter(a, b, [c, d]);
  }
  return x;
}

type Four = readonly [number, number, number, number];
const columns: readonly Four[] = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
];
const rows: readonly Four[] = [
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
];

function bytesOf(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [i, word] of words.entries()) bytes.writeUInt32LE(word >>> 0, i * 4);
  return bytes;
}

function hsalsa20(key: Uint8Array, input: Uint8Array): Buffer {
  const x = rounds(matrix(key, input));
  return bytesOf([0, 5, 10, 15, 6, 7, 8, 9].map((i) => x[i] ?? 0));
}

function keystream(key: Uint8Array, nonce: Uint8Array, length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let counter = 0; counter * 64 < length; counter++) {
    const input = Buffer.alloc(16);
    input.set(nonce);
    input.writeUInt32LE(counter, 8);
    const start = matrix(key, input);
    blocks.push(bytesOf(rounds(start).map((word, i) => (word + (start[i] ?? 0)) >>> 0)));
  }
  return Buffer.concat(blocks);
}
