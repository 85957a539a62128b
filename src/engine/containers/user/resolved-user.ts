import type { ProcessUser } from "../container-settings.ts";
import { largestId } from "./user-files.ts";

/** A user with its numbers, and its home folder where the image names one. */
export interface ResolvedUser extends ProcessUser {
  readonly home?: string | undefined;
}

/** A number in a request: undefined for a name, `out of range` for a number that no user may have. */
export function numericId(text: string): number | undefined | "out of range" {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const id = Number(text);
  return id >= 0 && id <= largestId ? id : "out of range";
}

/** All groups of a process, its first one among them, in order. */
export function sortedGids(...gids: readonly number[]): readonly number[] {
  return [...new Set(gids)].sort((a, b) => a - b);
}
