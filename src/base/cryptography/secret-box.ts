/** NaCl's secretbox: XSalsa20 with Poly1305, keys of 32 bytes, nonces of 24, a tag of 16 at the beginning. */
export const secretBox = {
  seal(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
    const { first, rest } = keyStream(nonce, key, message.length);
    const sealed = new Uint8Array(tagBytes + message.length);
    for (let i = 0; i < message.length; i++)
      sealed[tagBytes + i] = (message[i] as number) ^ (rest[i] as number);
    sealed.set(poly1305(sealed.subarray(tagBytes), first));
    return sealed;
  },

  /** Undefined if the message was not sealed with this key and nonce, or was changed. */
  open(sealed: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    if (sealed.length < tagBytes) return undefined;
    const body = sealed.subarray(tagBytes);
    const { first, rest } = keyStream(nonce, key, body.length);
    if (!isEqual(poly1305(body, first), sealed.subarray(0, tagBytes))) return undefined;
    return Uint8Array.from(body, (byte, i) => byte ^ (rest[i] as number));
  },
};

const tagBytes = 16;
const blockBytes = 64;

/** The first 32 bytes of the stream are the key of Poly1305, those after them encrypt. */
function keyStream(nonce: Uint8Array, key: Uint8Array, length: number) {
  const subKey = hsalsa20(key, nonce.subarray(0, 16));
  const blocks = Math.ceil((length + 32) / blockBytes);
  const stream = new Uint8Array(blocks * blockBytes);
  const input = new Uint8Array(16);
  input.set(nonce.subarray(16, 24));
  const view = new DataView(input.buffer);
  for (let i = 0; i < blocks; i++) {
    view.setUint32(8, i, true);
    const words = stateOf(subKey, input);
    const mixed = rounds(words);
    const out = new DataView(stream.buffer, i * blockBytes);
    for (let j = 0; j < 16; j++)
      out.setUint32(j * 4, ((mixed[j] as number) + (words[j] as number)) >>> 0, true);
  }
  return { first: stream.subarray(0, 32), rest: stream.subarray(32, 32 + length) };
}

function hsalsa20(key: Uint8Array, input: Uint8Array): Uint8Array {
  const mixed = rounds(stateOf(key, input));
  const out = new DataView(new ArrayBuffer(32));
  for (const [i, at] of [0, 5, 10, 15, 6, 7, 8, 9].entries())
    out.setUint32(i * 4, mixed[at] as number, true);
  return new Uint8Array(out.buffer);
}

/** "expand 32-byte k" */
const constants = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

function stateOf(key: Uint8Array, input: Uint8Array): Uint32Array {
  const k = new DataView(key.buffer, key.byteOffset, 32);
  const n = new DataView(input.buffer, input.byteOffset, 16);
  const word = (view: DataView, i: number) => view.getUint32(i * 4, true);
  const [a, b, c, d] = constants;
  return Uint32Array.of(
    ...[a, word(k, 0), word(k, 1), word(k, 2), word(k, 3), b],
    ...[word(n, 0), word(n, 1), word(n, 2), word(n, 3), c],
    ...[word(k, 4), word(k, 5), word(k, 6), word(k, 7), d],
  );
}

/** The quarter rounds of a double round: columns, then rows. */
const quarters = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

function rounds(words: Uint32Array): Uint32Array {
  const x = words.slice();
  const mix = (to: number, a: number, b: number, by: number): void => {
    const sum = ((x[a] as number) + (x[b] as number)) | 0;
    x[to] = (x[to] as number) ^ ((sum << by) | (sum >>> (32 - by)));
  };
  for (let round = 0; round < 10; round++)
    for (const [a, b, c, d] of quarters) {
      mix(b, a, d, 7);
      mix(c, b, a, 9);
      mix(d, c, b, 13);
      mix(a, d, c, 18);
    }
  return x;
}

const prime = (1n << 130n) - 5n;
const clamp = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/** The one-time authenticator of a message; its key is used for no other. */
function poly1305(message: Uint8Array, key: Uint8Array): Uint8Array {
  const factor = littleEndian(key.subarray(0, 16)) & clamp;
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    const marked = littleEndian(block) + (1n << BigInt(8 * block.length));
    sum = ((sum + marked) * factor) % prime;
  }
  sum += littleEndian(key.subarray(16, 32));
  const tag = new DataView(new ArrayBuffer(tagBytes));
  tag.setBigUint64(0, sum, true);
  tag.setBigUint64(8, sum >> 64n, true);
  return new Uint8Array(tag.buffer);
}

/** The number of up to 16 bytes. */
function littleEndian(bytes: Uint8Array): bigint {
  const padded = new Uint8Array(16);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  return view.getBigUint64(0, true) | (view.getBigUint64(8, true) << 64n);
}

/** Takes as long for a wrong tag as for the right one. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0;
  for (let i = 0; i < tagBytes; i++) difference |= (a[i] as number) ^ (b[i] as number);
  return difference === 0;
}
