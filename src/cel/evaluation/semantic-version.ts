/** A version as of semver.org. */
export interface SemanticVersion {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly preRelease: readonly string[];
}

const number = "(0|[1-9][0-9]*)";
const part = "(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)";
const form = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${part}(?:\\.${part})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

/** Reads a version; undefined if the text is none. */
export function parseVersion(text: string): SemanticVersion | undefined {
  const [, major, minor, patch, preRelease] = form.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    preRelease: preRelease?.split(".") ?? [],
  };
}

/** Orders versions by precedence: a pre-release comes before its release, and builds do not count. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, own] of a.numbers.entries()) {
    const difference = order(own, b.numbers[i] ?? 0n);
    if (difference !== 0) return difference;
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0)
    return order(b.preRelease.length, a.preRelease.length);
  for (const [i, own] of a.preRelease.entries()) {
    const other = b.preRelease[i];
    if (other === undefined) return 1;
    const difference = comparePart(own, other);
    if (difference !== 0) return difference;
  }
  return order(a.preRelease.length, b.preRelease.length);
}

/** Numbers are ordered as such, and come before words. */
function comparePart(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return order(BigInt(a), BigInt(b));
  return isNumber === isOtherNumber ? order(a, b) : order(Number(isOtherNumber), Number(isNumber));
}

const order = <T extends bigint | number | string>(a: T, b: T): number =>
  a < b ? -1 : a > b ? 1 : 0;
