/** Encrypts and decrypts under one key; an operation that fails throws. */
export interface Cipher {
  /** `associated` is authenticated, too, where the algorithm does so. */
  encrypt(nonce: Uint8Array, plain: Uint8Array, associated: Uint8Array): Uint8Array;
  decrypt(nonce: Uint8Array, sealed: Uint8Array, associated: Uint8Array): Uint8Array;
}

/** Symmetric cryptography, as pure code gets it. */
export interface Ciphers {
  /** AES with keys of 16, 24 or 32 bytes in Galois/Counter mode: nonces of 12 bytes, a tag of 16 at the end. */
  aesGcm(key: Uint8Array): Cipher;
  /** AES in CBC mode with PKCS#7 padding and nonces of 16 bytes. Nothing is authenticated. */
  aesCbc(key: Uint8Array): Cipher;
  /** The second step of HKDF (RFC 5869) with SHA-256: 32 bytes of a seed, for a purpose. */
  hkdfExpand(seed: Uint8Array, info: Uint8Array): Uint8Array;
  /** Random bytes that nobody can guess. */
  random(length: number): Uint8Array;
}
