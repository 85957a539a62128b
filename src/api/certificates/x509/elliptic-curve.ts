import { modularInverse, modulo } from "./modular.ts";

export interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

/** A curve y² = x³ − 3x + b over the integers modulo p, with a base point of order n. */
export interface Curve {
  readonly name: string;
  readonly oid: string;
  readonly bits: number;
  readonly p: bigint;
  readonly b: bigint;
  readonly n: bigint;
  readonly base: Point;
}

const p256 = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const p384 = 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n;

/** The curves of FIPS 186. */
export const curves: readonly Curve[] = [
  {
    name: "P-224",
    oid: "1.3.132.0.33",
    bits: 224,
    p: 2n ** 224n - 2n ** 96n + 1n,
    b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
    n: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
    base: {
      x: 0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
      y: 0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
    },
  },
  {
    name: "P-256",
    oid: "1.2.840.10045.3.1.7",
    bits: 256,
    p: p256,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    base: {
      x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
      y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
    },
  },
  {
    name: "P-384",
    oid: "1.3.132.0.34",
    bits: 384,
    p: p384,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    base: {
      x: 0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
      y: 0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
    },
  },
  {
    name: "P-521",
    oid: "1.3.132.0.35",
    bits: 521,
    p: 2n ** 521n - 1n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    n: 0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    base: {
      x: 0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
      y: 0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
    },
  },
];

/** Whether a point, not the one at infinity, is on a curve. */
export function isOnCurve({ p, b }: Curve, { x, y }: Point): boolean {
  return x < p && y < p && modulo(y * y - (x * x * x - 3n * x + b), p) === 0n;
}

/** Whether r and s sign a hash, for the key that is the point. */
export function verifyEcdsa(
  curve: Curve,
  point: Point,
  { hash, r, s }: { readonly hash: bigint; readonly r: bigint; readonly s: bigint },
): boolean {
  const { n, p, base } = curve;
  if (r <= 0n || s <= 0n || r >= n || s >= n) return false;
  const inverse = modularInverse(s, n);
  const sum = add(
    multiply(toJacobian(base), modulo(hash * inverse, n), p),
    multiply(toJacobian(point), modulo(r * inverse, n), p),
    p,
  );
  if (sum.z === 0n) return false;
  const z = modularInverse(sum.z, p);
  return modulo(modulo(sum.x * z * z, p), n) === r;
}

/** x/z², y/z³; infinity where z is 0. */
interface Jacobian extends Point {
  readonly z: bigint;
}

const infinity: Jacobian = { x: 1n, y: 1n, z: 0n };
const toJacobian = ({ x, y }: Point): Jacobian => ({ x, y, z: 1n });

function multiply(point: Jacobian, factor: bigint, p: bigint): Jacobian {
  let sum = infinity;
  for (const bit of factor.toString(2)) {
    sum = double(sum, p);
    if (bit === "1") sum = add(sum, point, p);
  }
  return sum;
}

function double({ x, y, z }: Jacobian, p: bigint): Jacobian {
  if (z === 0n || y === 0n) return infinity;
  const squareY = (y * y) % p;
  const squareZ = (z * z) % p;
  const s = (4n * x * squareY) % p;
  const m = (3n * (x - squareZ) * (x + squareZ)) % p;
  const doubledX = modulo(m * m - 2n * s, p);
  return {
    x: doubledX,
    y: modulo(m * (s - doubledX) - 8n * squareY * squareY, p),
    z: modulo(2n * y * z, p),
  };
}

function add(a: Jacobian, b: Jacobian, p: bigint): Jacobian {
  if (a.z === 0n) return b;
  if (b.z === 0n) return a;
  const az = (a.z * a.z) % p;
  const bz = (b.z * b.z) % p;
  const u = (a.x * bz) % p;
  const s = (a.y * b.z * bz) % p;
  const h = modulo(b.x * az - u, p);
  const r = modulo(b.y * a.z * az - s, p);
  if (h === 0n) return r === 0n ? double(a, p) : infinity;
  const square = (h * h) % p;
  const cube = (square * h) % p;
  const v = (u * square) % p;
  const x = modulo(r * r - cube - 2n * v, p);
  return { x, y: modulo(r * (v - x) - s * cube, p), z: (h * a.z * b.z) % p };
}
