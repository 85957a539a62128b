/**
 * Which of two versions is newer: below 0 the second, above 0 the first; undefined where they are no
 * numbers, as those of foreign servers may be, and cannot be compared.
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  // They may be beyond what a number holds: the longer one is greater, and digits are in order.
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether a version is at least as new as another; what cannot be compared is not. */
export const isAtLeast = (version: string, other: string): boolean =>
  (compareVersions(version, other) ?? -1) >= 0;

const decimal = /^(?:0|[1-9]\d*)$/;
