import type { Random } from "./random.ts";

/** The source of UUIDs and name suffixes. */
export interface Entropy {
  /** A random UUID (version 4), as in `metadata.uid`. */
  uuid(): string;
  /** Random letters and digits, as `metadata.generateName` appends them. */
  suffix(length: number): string;
}

/** No vowels and no digits that resemble them, so that a suffix spells no words. */
export const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Names that repeat themselves from a seed, for virtual clusters. */
export function seededEntropy(random: Random): Entropy {
  const digit = (choices: string): string =>
    choices.charAt(Math.floor(random.next() * choices.length));
  return {
    uuid: () =>
      "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replaceAll(/[xy]/g, (place) =>
        digit(place === "x" ? "0123456789abcdef" : "89ab"),
      ),
    suffix: (length) => Array.from({ length }, () => digit(suffixAlphabet)).join(""),
  };
}
