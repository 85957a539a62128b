import type { CurveName } from "../../../base/cryptography/verify-signature.ts";
import { bigintOf } from "../../../base/der-reader.ts";

/** A curve y² = x³ − 3x + b over the integers modulo p. */
export interface Curve {
  readonly name: CurveName;
  readonly oid: string;
  readonly p: bigint;
  readonly b: bigint;
}

/** The curves that keys may be on. */
export const curves: readonly Curve[] = [
  {
    name: "P-224",
    oid: "1.3.132.0.33",
    p: 2n ** 224n - 2n ** 96n + 1n,
    b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
  },
  {
    name: "P-256",
    oid: "1.2.840.10045.3.1.7",
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  },
  {
    name: "P-384",
    oid: "1.3.132.0.34",
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  },
  {
    name: "P-521",
    oid: "1.3.132.0.35",
    p: 2n ** 521n - 1n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  },
];

/** Whether bytes are the uncompressed form of a point on the curve, which is not the one at infinity. */
export function isUncompressedPoint({ p, b }: Curve, bytes: Uint8Array): boolean {
  const size = Math.ceil(p.toString(16).length / 2);
  if (bytes.length !== 1 + 2 * size || bytes[0] !== 4) return false;
  const x = bigintOf(bytes.subarray(1, 1 + size));
  const y = bigintOf(bytes.subarray(1 + size));
  return x < p && y < p && (x * x * x - 3n * x + b - y * y) % p === 0n;
}
