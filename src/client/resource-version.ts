/**
 * Compares two resourceVersions: negative if the first is older, positive if it is newer. Returns
 * undefined if they cannot be compared because one is not a number, as on some aggregated servers.
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  // They may exceed the safe integers: compare the lengths first, then the digits.
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether a resourceVersion is at least as new as another; false if they cannot be compared. */
export const isAtLeast = (version: string, other: string): boolean =>
  (compareVersions(version, other) ?? -1) >= 0;

const decimal = /^(?:0|[1-9]\d*)$/;
