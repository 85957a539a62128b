import { quote } from "../../../../../schema/values/quote.ts";

/** A version of CSI, such as `[1, 9, 0]`. */
export type CsiVersion = readonly number[];

/** The highest version of those that a driver supports; throws if it is not 1.x. */
export function highestSupportedVersion(versions: readonly string[]): CsiVersion {
  let highest: CsiVersion | undefined;
  let problem: string | undefined;
  for (const text of [...versions].reverse()) {
    const version = parseVersion(text);
    if (typeof version === "string") problem = version;
    else if ((version[0] ?? 0) <= 1 && (!highest || isOlder(highest, version))) highest = version;
  }
  if (!highest)
    throw new Error(
      `could not find a highest supported version from versions ([${versions.join(" ")}]) reported: ${problem ?? "<nil>"}`,
    );
  if (highest[0] !== 1)
    throw new Error(`highest supported version reported is ${versionText(highest)}, must be v1.x`);
  return highest;
}

export const versionText = (version: CsiVersion): string => version.join(".");

/** Whether a version is lower than another; missing parts count as zero. */
export function isOlder(a: CsiVersion, b: CsiVersion): boolean {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** The parts of a version, or what is wrong with it. */
function parseVersion(text: string): CsiVersion | string {
  const [, numbers] = /^\s*v?([0-9]+(?:\.[0-9]+)*)/.exec(text) ?? [];
  if (numbers === undefined) return `could not parse ${quote(text)} as version`;
  const parts = numbers.split(".");
  if (parts.length < 2) return `illegal version string ${quote(text)}`;
  const [major = ""] = parts;
  if (/^0./.test(major))
    return `illegal zero-prefixed version component ${quote(major)} in ${quote(text)}`;
  return parts.map(Number);
}
