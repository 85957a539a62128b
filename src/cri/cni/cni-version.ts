/** The versions of CNI that are spoken here, lowest first. */
export const cniVersions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

/** What a configuration has that does not say its version. */
export const oldestCniVersion = "0.1.0";
export const latestCniVersion = "1.1.0";

export const isCniVersion = (text: string): boolean =>
  (cniVersions as readonly string[]).includes(text);

/** Whether a version is this one or a later one. A text that is no version is lower than any. */
export function isAtLeast(version: string, other: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(other)];
  for (const [i, number] of b.entries()) {
    const difference = (a[i] ?? -1) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

const numbersOf = (version: string): readonly number[] => {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(version);
  return match ? match.slice(1).map(Number) : [-1, -1, -1];
};
