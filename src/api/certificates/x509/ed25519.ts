import { modularInverse, modularPower, modulo } from "./modular.ts";
import { digest } from "./sha.ts";

const p = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const d = modulo(-121665n * modularInverse(121666n, p), p);
const rootOfMinusOne = modularPower(2n, (p - 1n) / 4n, p);

/** X/Z, Y/Z, and T = XY/Z. */
interface Extended {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
  readonly t: bigint;
}

const neutral: Extended = { x: 0n, y: 1n, z: 1n, t: 0n };

/** Whether a signature of 64 bytes signs a message, for a key of 32 bytes. */
export function verifyEd25519(
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const point = decode(key);
  if (signature.length !== 64 || !point || !base) return false;
  const s = littleEndian(signature.subarray(32));
  if (s >= order) return false;
  const first = signature.subarray(0, 32);
  const k = littleEndian(digest("SHA-512", Uint8Array.from([...first, ...key, ...message])));
  const negated = { ...point, x: modulo(-point.x, p), t: modulo(-point.t, p) };
  const sum = add(multiply(base, s), multiply(negated, k % order));
  return encode(sum) === littleEndian(first);
}

/** The number that bytes are, the least significant first. */
function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes.toReversed()) value = (value << 8n) | BigInt(byte);
  return value;
}

function decode(bytes: Uint8Array): Extended | undefined {
  const value = littleEndian(bytes);
  const y = modulo(value & (2n ** 255n - 1n), p);
  const u = modulo(y * y - 1n, p);
  const v = modulo(d * y * y + 1n, p);
  const v3 = modulo(v * v * v, p);
  let x = modulo(u * v3 * modularPower(u * v3 * v3 * v, (p - 5n) / 8n, p), p);
  const square = modulo(v * x * x, p);
  if (square === modulo(-u, p)) x = modulo(x * rootOfMinusOne, p);
  else if (square !== u) return undefined;
  if ((x & 1n) !== value >> 255n) x = modulo(-x, p);
  return { x, y, z: 1n, t: modulo(x * y, p) };
}

function encode({ x, y, z }: Extended): bigint {
  const inverse = modularInverse(z, p);
  return modulo(y * inverse, p) | ((modulo(x * inverse, p) & 1n) << 255n);
}

function multiply(point: Extended, factor: bigint): Extended {
  let sum = neutral;
  for (const bit of factor.toString(2)) {
    sum = add(sum, sum);
    if (bit === "1") sum = add(sum, point);
  }
  return sum;
}

function add(a: Extended, b: Extended): Extended {
  const left = modulo((a.y - a.x) * (b.y - b.x), p);
  const right = modulo((a.y + a.x) * (b.y + b.x), p);
  const c = modulo(2n * d * a.t * b.t, p);
  const e = modulo(2n * a.z * b.z, p);
  const [f, g, h, i] = [right - left, e - c, e + c, right + left];
  return { x: modulo(f * g, p), y: modulo(h * i, p), t: modulo(f * i, p), z: modulo(g * h, p) };
}

const base = decode(Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 0x58 : 0x66)));
