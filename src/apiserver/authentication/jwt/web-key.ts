import { curves, isUncompressedPoint } from "../../../api/certificates/x509/curves.ts";
import { decodeBase64Url } from "../../../base/base64.ts";
import type {
  CurveName,
  HashName,
  SignatureKey,
  VerifySignature,
} from "../../../base/cryptography/verify-signature.ts";
import { bigintOf } from "../../../base/der-reader.ts";
import { isMap, member, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import type { ParsedJwt } from "../../../schema/values/jwt.ts";

/** A public key of an issuer (RFC 7517). */
export interface WebKey {
  /** Empty if the key has none. */
  readonly id: string;
  readonly key: SignatureKey;
}

/** How an algorithm signs (RFC 7518). */
interface Algorithm {
  readonly hash: HashName;
  readonly curve?: CurveName;
  readonly isPss?: true;
}

const algorithms: Readonly<Record<string, Algorithm>> = {
  RS256: { hash: "SHA-256" },
  RS384: { hash: "SHA-384" },
  RS512: { hash: "SHA-512" },
  ES256: { hash: "SHA-256", curve: "P-256" },
  ES384: { hash: "SHA-384", curve: "P-384" },
  ES512: { hash: "SHA-512", curve: "P-521" },
  PS256: { hash: "SHA-256", isPss: true },
  PS384: { hash: "SHA-384", isPss: true },
  PS512: { hash: "SHA-512", isPss: true },
};

/** The algorithms that tokens may be signed with, all asymmetric; `none` is not one. */
export const signingAlgorithms: readonly string[] = Object.keys(algorithms).sort();

/** The keys of a key set; those of other types, such as encryption keys, are skipped. */
export function webKeys(set: unknown): WebKey[] {
  const keys = isMap(set) ? member(set, "keys") : undefined;
  return (Array.isArray(keys) ? keys : []).flatMap((value: unknown) => {
    if (!isMap(value)) return [];
    const key = keyOf(value);
    const id = member(value, "kid");
    return key ? [{ id: typeof id === "string" ? id : "", key }] : [];
  });
}

/** Go refuses smaller RSA keys; larger ones cost too much time. */
const rsaBits = { least: 1024, most: 16_384 };

function keyOf(value: ReadonlyJsonMap): SignatureKey | undefined {
  const [n, e, x, y] = ["n", "e", "x", "y"].map((name) => bytesOf(member(value, name)));
  const kty = member(value, "kty");
  if (kty === "RSA" && n && e && e.length <= 8) {
    const modulus = bigintOf(n);
    const bits = modulus.toString(2).length;
    if (bits < rsaBits.least || bits > rsaBits.most) return undefined;
    return { algorithm: "RSA", modulus, exponent: bigintOf(e) };
  }
  const curve = curves.find(({ name }) => name === member(value, "crv"));
  if (kty !== "EC" || !curve || !x || !y) return undefined;
  const size = Math.ceil(curve.p.toString(16).length / 2);
  if (x.length > size || y.length > size) return undefined;
  const point = new Uint8Array(1 + 2 * size);
  point[0] = 4;
  point.set(x, 1 + size - x.length);
  point.set(y, 1 + 2 * size - y.length);
  return isUncompressedPoint(curve, point)
    ? { algorithm: "ECDSA", curve: curve.name, point }
    : undefined;
}

function bytesOf(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || text === "" || !/^[\w-]+$/.test(text)) return undefined;
  try {
    return decodeBase64Url(text);
  } catch {
    return undefined;
  }
}

/** Whether a token is signed with a key, by the algorithm that its header names. */
export function isSignedWith(
  { key }: WebKey,
  { header, signed, signature }: ParsedJwt,
  verify: VerifySignature,
): boolean {
  const algorithm = algorithms[String(member(header, "alg"))];
  // A critical header must be understood, and none is.
  if (!algorithm || (header.crit !== undefined && header.crit !== null)) return false;
  const { hash, curve, isPss } = algorithm;
  const message = new TextEncoder().encode(signed);
  if (key.algorithm === "RSA" && curve === undefined)
    return verify(key, { message, signature, hash, ...(isPss && { pssSalt: "any-length" }) });
  if (key.algorithm !== "ECDSA" || key.curve !== curve) return false;
  const half = (key.point.length - 1) / 2;
  if (signature.length !== 2 * half) return false;
  return verify(key, { message, signature: inDer(signature), hash });
}

/** Two numbers side by side as X.509 has them: a sequence of integers in DER. */
function inDer(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2;
  const numbers = [integer(signature.subarray(0, half)), integer(signature.subarray(half))].flat();
  const length = numbers.length < 128 ? [numbers.length] : [0x81, numbers.length];
  return Uint8Array.from([0x30, ...length, ...numbers]);
}

function integer(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? [0] : [...bytes.subarray(first)];
  const content = (digits[0] ?? 0) >= 128 ? [0, ...digits] : digits;
  return [2, content.length, ...content];
}
