/** The signature algorithms of JSON web tokens (RFC 7518) that Kubernetes supports. */
export type SignatureAlgorithm = "RS256" | "ES256" | "ES384" | "ES512";

/** Signs JSON web tokens. */
export interface SigningKey {
  /** Identifies the key (`kid`): a hash of its public half. */
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  /** The signature in the form that JSON web tokens carry. */
  sign(text: string): Uint8Array;
}

/** Verifies signatures of one key, with that key's algorithm only. */
export interface VerifyingKey {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  /** The public key as a JSON web key (RFC 7517): `kty` and the members of that type. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether it verifies old tokens only, so that others are not told of it. */
  readonly isUnpublished?: boolean;
  verify(text: string, signature: Uint8Array): boolean;
}
