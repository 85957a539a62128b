import { bigintOf } from "./der.ts";
import { modularPower } from "./modular.ts";
import { digest, type HashName } from "./sha.ts";

export interface RsaKey {
  readonly modulus: bigint;
  readonly exponent: bigint;
}

/** What stands before a digest in a signature: the beginning of a DigestInfo, by hash. */
const prefixes: Readonly<Record<HashName, string>> = {
  "SHA-1": "3021300906052b0e03021a05000414",
  "SHA-256": "3031300d060960864801650304020105000420",
  "SHA-384": "3041300d060960864801650304020205000430",
  "SHA-512": "3051300d060960864801650304020305000440",
};

/** Whether a signature by PKCS #1 v1.5 is that of a digest. */
export function verifyPkcs1(
  key: RsaKey,
  { hash, hashed, signature }: { hash: HashName; hashed: Uint8Array; signature: Uint8Array },
): boolean {
  const recovered = recover(key, signature);
  if (!recovered) return false;
  const info = `${prefixes[hash]}${hexOf(hashed)}`;
  const filling = recovered.length - info.length / 2 - 3;
  if (filling < 8) return false;
  return hexOf(recovered) === `0001${"ff".repeat(filling)}00${info}`;
}

/** Whether a signature by PSS is that of a digest; a salt of any length if none is given. */
export function verifyPss(
  key: RsaKey,
  {
    hash,
    hashed,
    signature,
    saltLength,
  }: { hash: HashName; hashed: Uint8Array; signature: Uint8Array; saltLength?: number },
): boolean {
  const recovered = recover(key, signature);
  if (!recovered) return false;
  const bits = key.modulus.toString(2).length - 1;
  const encoded = recovered.subarray(recovered.length - Math.ceil(bits / 8));
  const size = hashed.length;
  const top = 0xff >> (8 * encoded.length - bits);
  if (encoded.length < size + 2 || encoded.at(-1) !== 0xbc || (encoded[0] ?? 0) & ~top)
    return false;
  const masked = encoded.subarray(0, encoded.length - size - 1);
  const seed = encoded.subarray(masked.length, -1);
  const over = mask(hash, seed, masked.length);
  const block = masked.map((byte, i) => byte ^ (over[i] ?? 0));
  block[0] = (block[0] ?? 0) & top;
  const one = block.findIndex((byte) => byte !== 0);
  if (block[one] !== 1) return false;
  const salt = block.subarray(one + 1);
  if (saltLength !== undefined && salt.length !== saltLength) return false;
  const message = Uint8Array.from([...new Uint8Array(8), ...hashed, ...salt]);
  return hexOf(digest(hash, message)) === hexOf(seed);
}

/** The bytes that were signed; undefined where the signature cannot be one of the key. */
function recover({ modulus, exponent }: RsaKey, signature: Uint8Array): Uint8Array | undefined {
  const size = Math.ceil(modulus.toString(16).length / 2);
  const value = bigintOf(signature);
  if (signature.length !== size || value >= modulus) return undefined;
  return bytesOf(modularPower(value, exponent, modulus), size);
}

/** MGF1. */
function mask(hash: HashName, seed: Uint8Array, length: number): Uint8Array {
  const out: number[] = [];
  for (let counter = 0; out.length < length; counter++)
    out.push(...digest(hash, Uint8Array.from([...seed, 0, 0, counter >> 8, counter & 0xff])));
  return Uint8Array.from(out.slice(0, length));
}

function bytesOf(value: bigint, size: number): Uint8Array {
  const text = value.toString(16).padStart(size * 2, "0");
  return Uint8Array.from({ length: size }, (_, i) =>
    Number.parseInt(text.slice(i * 2, i * 2 + 2), 16),
  );
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
