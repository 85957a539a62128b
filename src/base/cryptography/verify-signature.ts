/** The elliptic curves of FIPS 186. */
export type CurveName = "P-224" | "P-256" | "P-384" | "P-521";

export type HashName = "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";

/** A public key that signatures can be verified with. */
export type SignatureKey =
  | { readonly algorithm: "RSA"; readonly modulus: bigint; readonly exponent: bigint }
  | {
      readonly algorithm: "ECDSA";
      readonly curve: CurveName;
      /** The uncompressed form: the byte 4, then both coordinates. */
      readonly point: Uint8Array;
    }
  | { readonly algorithm: "Ed25519"; readonly bytes: Uint8Array };

/** A message with its signature. */
export interface SignedMessage {
  readonly message: Uint8Array;
  /** ECDSA signatures are in DER, as X.509 has them. */
  readonly signature: Uint8Array;
  /** Absent for Ed25519, which has a hash of its own. */
  readonly hash?: HashName;
  /**
   * Set for RSA with PSS padding: whether the salt must be as long as the hash, or may have any length.
   * Without it, RSA signatures are padded as PKCS #1 v1.5 says.
   */
  readonly pssSalt?: "hash-length" | "any-length";
}

/**
 * Whether the signature was made with the private half of the key. Pure code has no cryptography
 * of its own: this is passed in, and synchronous. A malformed key or signature is a `false`, not an error.
 */
export type VerifySignature = (key: SignatureKey, signed: SignedMessage) => boolean;
