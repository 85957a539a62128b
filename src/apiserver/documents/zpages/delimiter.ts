import type { Random } from "../../../base/random.ts";

const delimiters = [":", ": ", "=", " "] as const;

/** What stands between names and values of a page: by chance, so that no program comes to rely on it. */
export const delimiterBy = (random: Random): string =>
  delimiters[Math.floor(random.next() * delimiters.length)] ?? ":";
