import type { Random } from "../../base/random.ts";

/**
 * A number in [0, 1) that belongs to a text: the same wherever and whenever it is asked for, so that
 * what is drawn neither depends on the order of draws nor changes with a restart.
 */
export function chanceOf(text: string): number {
  // FNV-1a, then mixed: neighbours must have nothing in common.
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** 64 digits that belong to a text, as digests have. */
export function digestOf(text: string): string {
  let digits = "";
  for (let i = 0; digits.length < 64; i++)
    digits += Math.floor(chanceOf(`${i}\0${text}`) * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return digits;
}

/** 64 random digits, as IDs have. */
export function newId(random: Random): string {
  let digits = "";
  while (digits.length < 64)
    digits += Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return digits;
}
