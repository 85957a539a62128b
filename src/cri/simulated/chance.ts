import type { Random } from "../../base/random.ts";

/**
 * A number in [0, 1) computed from a text. It is always the same for the same text, so that draws neither
 * depend on their order nor change with a restart.
 */
export function chanceOf(text: string): number {
  // FNV-1a with a final mix, so that similar texts give unrelated numbers.
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** 64 hexadecimal digits computed from a text, like a digest. */
export function digestOf(text: string): string {
  let digits = "";
  for (let i = 0; digits.length < 64; i++)
    digits += Math.floor(chanceOf(`${i}\0${text}`) * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return digits;
}

/** 64 random hexadecimal digits, like an ID. */
export function newId(random: Random): string {
  let digits = "";
  while (digits.length < 64)
    digits += Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return digits;
}
