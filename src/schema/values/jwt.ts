import { decodeBase64Url, encodeBase64Url } from "../../base/base64.ts";
import type { SigningKey } from "../../base/cryptography/token-key.ts";
import { isMap, type ReadonlyJsonMap } from "../json/json-value.ts";

/** A web token that was taken apart, and of which nothing is verified. */
export interface ParsedJwt {
  readonly header: ReadonlyJsonMap;
  readonly claims: ReadonlyJsonMap;
  /** The text that is signed. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** A signed web token in its compact form. */
export function writeJwt(key: SigningKey, claims: object): string {
  const header = { alg: key.algorithm, kid: key.id };
  const signed = `${encodePart(header)}.${encodePart(claims)}`;
  return `${signed}.${encodeBase64Url(key.sign(signed))}`;
}

/** The parts of a web token in its compact form; undefined where it is none. */
export function parseJwt(token: string): ParsedJwt | undefined {
  const [first = "", second = "", third, ...more] = token.split(".");
  if (third === undefined || more.length > 0) return undefined;
  const header = decodePart(first);
  const claims = decodePart(second);
  const signature = decodeUrl(third);
  if (!header || !claims || !signature) return undefined;
  return { header, claims, signed: `${first}.${second}`, signature };
}

const encodePart = (value: object): string =>
  encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));

function decodePart(text: string): ReadonlyJsonMap | undefined {
  const bytes = decodeUrl(text);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function decodeUrl(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined;
  try {
    return decodeBase64Url(text);
  } catch {
    return undefined;
  }
}
