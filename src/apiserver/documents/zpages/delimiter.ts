import type { Random } from "../../../base/random.ts";

const delimiters = [":", ": ", "=", " "] as const;

/** The delimiter of names and values on a page: random, so that no program relies on it. */
export const delimiterBy = (random: Random): string =>
  delimiters[Math.floor(random.next() * delimiters.length)] ?? ":";
