/** What the key of a certificate may be used for, by the names of RFC 5280. */
export type KeyUsage =
  | "digitalSignature"
  | "contentCommitment"
  | "keyEncipherment"
  | "dataEncipherment"
  | "keyAgreement"
  | "keyCertSign"
  | "cRLSign"
  | "encipherOnly"
  | "decipherOnly";

/** What the holder of a certificate may use it for. */
export type ExtKeyUsage =
  | "any"
  | "serverAuth"
  | "clientAuth"
  | "codeSigning"
  | "emailProtection"
  | "ipsecEndSystem"
  | "ipsecTunnel"
  | "ipsecUser"
  | "timeStamping"
  | "ocspSigning"
  | "microsoftSgc"
  | "netscapeSgc";

/** The content of a certificate to sign. */
export interface CertificateContent {
  /** The attributes of the subject, in their order. */
  readonly subject: readonly { readonly oid: string; readonly value: string }[];
  /** The key as a SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  readonly names: {
    readonly dnsNames: readonly string[];
    readonly emailAddresses: readonly string[];
    readonly uris: readonly string[];
    /** The bytes of the addresses. */
    readonly ipAddresses: readonly Uint8Array[];
  };
  readonly keyUsage: readonly KeyUsage[];
  readonly extKeyUsage: readonly ExtKeyUsage[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * A certificate authority that signs. Pure code has no cryptography of its own: this is passed in, and
 * synchronous.
 */
export interface CertificateSigner {
  /** When the certificate of the authority expires, in milliseconds since the epoch. */
  readonly notAfter: number;
  /** The certificate in PEM, with a random serial number. */
  sign(content: CertificateContent): string;
}
