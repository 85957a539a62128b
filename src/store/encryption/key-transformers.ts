import type { Cipher, Ciphers } from "../../base/cryptography/ciphers.ts";
import { secretBox } from "../../base/cryptography/secret-box.ts";
import { joined, type Transformer } from "./transformer.ts";

const tooShort = "the stored data was shorter than the required size";

/** AES-GCM under one key: the nonce, then the sealed value. The path is authenticated. */
export const gcmTransformer = (ciphers: Ciphers, key: Uint8Array): Transformer =>
  withNonce(ciphers.aesGcm(key), 12, ciphers);

/** AES-CBC under one key, whose values are not authenticated. */
export function cbcTransformer(ciphers: Ciphers, key: Uint8Array): Transformer {
  const { open, seal } = withNonce(ciphers.aesCbc(key), blockBytes, ciphers);
  return {
    seal,
    open(stored, path) {
      if (stored.length >= blockBytes && stored.length % blockBytes !== 0)
        throw new Error("the stored data is not a multiple of the block size");
      if (stored.length === blockBytes) throw new Error("invalid PKCS7 data (empty or not padded)");
      return open(stored, path);
    },
  };
}

const blockBytes = 16;

function withNonce(cipher: Cipher, nonceBytes: number, { random }: Ciphers): Transformer {
  return {
    seal(value, path) {
      const nonce = random(nonceBytes);
      return joined(nonce, cipher.encrypt(nonce, value, path));
    },
    open(stored, path) {
      if (stored.length < nonceBytes) throw new Error(tooShort);
      const nonce = stored.subarray(0, nonceBytes);
      const value = cipher.decrypt(nonce, stored.subarray(nonceBytes), path);
      return { value, isStale: false };
    },
  };
}

/** XSalsa20 and Poly1305 under one key: the nonce, then the box. The path is not authenticated. */
export const secretboxTransformer = ({ random }: Ciphers, key: Uint8Array): Transformer => ({
  seal(value) {
    const nonce = random(24);
    return joined(nonce, secretBox.seal(value, nonce, key));
  },
  open(stored) {
    if (stored.length < 24 + 16) throw new Error(tooShort);
    const value = secretBox.open(stored.subarray(24), stored.subarray(0, 24), key);
    // Upstream's words.
    if (!value) throw new Error("output array was not large enough for encryption");
    return { value, isStale: false };
  },
});

/** A key of its own for each value, derived from a seed: 32 random bytes, then the value under AES-GCM. */
export function seedTransformer(ciphers: Ciphers, seed: Uint8Array): Transformer {
  if (seed.length < infoBytes)
    throw new Error(`invalid seed length ${seed.length} used for key generation`);
  const under = (info: Uint8Array) => gcmTransformer(ciphers, ciphers.hkdfExpand(seed, info));
  return {
    seal(value, path) {
      const info = ciphers.random(infoBytes);
      return joined(info, under(info).seal(value, path));
    },
    open(stored, path) {
      if (stored.length < infoBytes) throw new Error(tooShort);
      return under(stored.subarray(0, infoBytes)).open(stored.subarray(infoBytes), path);
    },
  };
}

const infoBytes = 32;
