/** How web tokens are signed (RFC 7518): with RSA, or on one of three curves. */
export type SignatureAlgorithm = "RS256" | "ES256" | "ES384" | "ES512";

/** Signs web tokens. */
export interface SigningKey {
  /** Tells keys apart without saying what they are. */
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  /** The signature as a web token carries it. */
  sign(text: string): Uint8Array;
}

/** Checks what one signing key has signed, with that key's algorithm alone. */
export interface VerifyingKey {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  /** What is public of it, as a web key has it (RFC 7517): `kty` and the members of that type. */
  readonly parameters: Readonly<Record<string, string>>;
  verify(text: string, signature: Uint8Array): boolean;
}
