import { randomFillSync, randomUUID } from "node:crypto";
import { type Entropy, suffixAlphabet } from "../base/entropy.ts";
import type { Random } from "../base/random.ts";

/** Cryptographically secure names: nobody can guess the next one. */
export const systemEntropy: Entropy = {
  uuid: () => randomUUID(),

  suffix(length: number): string {
    let letters = "";
    while (letters.length < length) {
      const byte = nextByte();
      if (byte < fairBytes) letters += suffixAlphabet.charAt(byte % suffixAlphabet.length);
    }
    return letters;
  },
};

/** Random numbers for jitter and the like; not for secrets. */
export const systemRandom: Random = { next: () => Math.random() };

/** Bytes beyond the last multiple of the alphabet's length would favour its first letters. */
const fairBytes = 256 - (256 % suffixAlphabet.length);

/** Random bytes are cheap in bulk; those before `used` were given out. */
const pool = new Uint8Array(512);
let used = pool.length;

function nextByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] ?? 0;
}
