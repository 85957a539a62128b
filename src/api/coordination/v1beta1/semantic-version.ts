/** A version after semver.org: three numbers, and what comes before the release. */
export interface SemanticVersion {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];
}

export const zeroVersion: SemanticVersion = { numbers: [0n, 0n, 0n], prerelease: [] };

const number = "(0|[1-9][0-9]*)";
const identifier = "(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)";
const pattern = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

/** The version that a text spells, if it does. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const [, major, minor, patch, prerelease] = pattern.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    prerelease: prerelease?.split(".") ?? [],
  };
}

/** Which of two versions is the later one: negative, zero or positive. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, part] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0n;
    if (part !== other) return part < other ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return b.prerelease.length - a.prerelease.length;
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    const order = compareIdentifiers(part, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** Numbers come before words. */
function compareIdentifiers(a: string, b: string): number {
  const [numeric, otherNumeric] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (numeric !== otherNumeric) return numeric ? -1 : 1;
  if (a === b) return 0;
  return (numeric ? BigInt(a) < BigInt(b) : a < b) ? -1 : 1;
}
