import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { TestNetwork } from "../../connect/test-network.test-support.ts";
import type { JwtOptions } from "../server-authentication.ts";
import type { JWTAuthenticator } from "./authentication-configuration.ts";
import { checkAuthentication } from "./read-authentication-configuration.ts";
import { signingAlgorithms } from "./web-key.ts";

type Algorithm = "RS256" | "ES256" | "ES384" | "ES512" | "PS256" | "PS512";

/** A key of an issuer. */
export interface IssuerKey {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly privateKey: KeyObject;
  /** As it is in a key set. */
  readonly webKey: object;
}

export function issuerKey(id: string, algorithm: Algorithm = "ES256"): IssuerKey {
  const curves = { ES256: "P-256", ES384: "P-384", ES512: "P-521" } as const;
  const { publicKey, privateKey } =
    algorithm in curves
      ? generateKeyPairSync("ec", { namedCurve: curves[algorithm as keyof typeof curves] })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  const webKey = { ...publicKey.export({ format: "jwk" }), kid: id, use: "sig" };
  return { id, algorithm, privateKey, webKey };
}

/** A token with a header and claims of the caller's choice. */
export function signedToken(
  { id, algorithm, privateKey: key }: IssuerKey,
  claims: object,
  header: object = {},
): string {
  const signed = `${part({ alg: algorithm, kid: id, ...header })}.${part(claims)}`;
  const pss = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  const signature = sign(`sha${algorithm.slice(2)}`, Buffer.from(signed), {
    key,
    dsaEncoding: "ieee-p1363",
    ...(algorithm.startsWith("PS") && pss),
  });
  return `${signed}.${signature.toString("base64url")}`;
}

/** A token that is signed with a public key, as if that were a secret. */
export function tokenWithHmac(secret: string, claims: object): string {
  const signed = `${part({ alg: "HS256" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

export const part = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** An issuer in this process, whose keys rotate. */
export class TestIssuer {
  readonly url: string;
  readonly network: TestNetwork;
  keys: readonly IssuerKey[];
  /** Headers of the key set. */
  keyHeaders: Readonly<Record<string, string>> = {};

  constructor(network: TestNetwork, url = "https://issuer.test", keys = [issuerKey("one")]) {
    this.url = url;
    this.network = network;
    this.keys = keys;
    const { origin, pathname } = new URL(url);
    const discovery = `${origin}${pathname.replace(/\/$/, "")}/.well-known/openid-configuration`;
    network.served.set(discovery, () => ({
      body: JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }),
    }));
    network.served.set(`${url}/keys`, () => ({
      headers: this.keyHeaders,
      body: JSON.stringify({ keys: this.keys.map(({ webKey }) => webKey) }),
    }));
  }

  /** How often the keys were requested. */
  get fetches(): number {
    return this.network.requested.filter((url) => url === `${this.url}/keys`).length;
  }

  /** A token that is signed with the first key. */
  token(claims: object, header: object = {}): string {
    const [key] = this.keys;
    if (!key) throw new Error("the issuer has no key");
    return signedToken(key, { iss: this.url, ...claims }, header);
  }
}

/** The options of a server for authenticators, which must be valid. */
export const jwtOptions = (...jwt: JWTAuthenticator[]): JwtOptions => ({
  authenticators: checkAuthentication({ jwt }, { disallowedIssuers: [] }).jwt,
  algorithms: signingAlgorithms,
});
