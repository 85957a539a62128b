import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Cipher, Ciphers } from "../base/cryptography/ciphers.ts";

/** Symmetric cryptography by Node. */
export const nodeCiphers: Ciphers = {
  aesGcm,
  aesCbc,
  // One block of SHA-256 is all that is asked for.
  hkdfExpand: (seed, info) =>
    createHmac("sha256", seed).update(info).update(Uint8Array.of(1)).digest(),
  random: (length) => randomBytes(length),
};

const tagBytes = 16;

function aesGcm(key: Uint8Array): Cipher {
  const name = `aes-${key.length * 8}-gcm` as "aes-256-gcm";
  return {
    encrypt(nonce, plain, associated) {
      const cipher = createCipheriv(name, key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(associated);
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(nonce, sealed, associated) {
      if (sealed.length < tagBytes) throw new Error(authenticationFailed);
      const decipher = createDecipheriv(name, key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(associated);
      decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
      const plain = decipher.update(sealed.subarray(0, sealed.length - tagBytes));
      try {
        return Buffer.concat([plain, decipher.final()]);
      } catch (cause) {
        throw new Error(authenticationFailed, { cause });
      }
    },
  };
}

/** Go's words. */
const authenticationFailed = "cipher: message authentication failed";

function aesCbc(key: Uint8Array): Cipher {
  const name = `aes-${key.length * 8}-cbc`;
  return {
    encrypt(nonce, plain) {
      const cipher = createCipheriv(name, key, nonce);
      return Buffer.concat([cipher.update(plain), cipher.final()]);
    },
    decrypt(nonce, sealed) {
      const decipher = createDecipheriv(name, key, nonce);
      try {
        return Buffer.concat([decipher.update(sealed), decipher.final()]);
      } catch (cause) {
        throw new Error("invalid padding on input", { cause });
      }
    },
  };
}
