import { quote } from "../../schema/values/quote.ts";

/** A version as of semver.org. */
export interface SemanticVersion {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly preRelease: readonly string[];
  readonly build: readonly string[];
}

/** Reads a version; or tells what is wrong with it, as Go's library does. */
export function readVersion(text: string): SemanticVersion | string {
  if (text === "") return "Version string empty";
  const [majorText, minorText, ...rest] = text.split(".");
  if (majorText === undefined || minorText === undefined || rest.length === 0)
    return "No Major.Minor.Patch elements found";
  const [withoutBuild, build] = cut(rest.join("."), "+");
  const [patchText, preRelease] = cut(withoutBuild, "-");
  const numbers: bigint[] = [];
  for (const [name, digits] of Object.entries({
    major: majorText,
    minor: minorText,
    patch: patchText,
  })) {
    const number = readNumber(digits, name);
    if (typeof number === "string") return number;
    numbers.push(number);
  }
  const [major = 0n, minor = 0n, patch = 0n] = numbers;
  const pre = preRelease?.split(".") ?? [];
  const builds = build?.split(".") ?? [];
  const fault = firstFault(pre, preReleaseFault) ?? firstFault(builds, buildFault);
  return fault ?? { numbers: [major, minor, patch], preRelease: pre, build: builds };
}

/** Reads a version; undefined if the text is none. */
export function parseVersion(text: string): SemanticVersion | undefined {
  const read = readVersion(text);
  return typeof read === "string" ? undefined : read;
}

/** Makes a version of a shorter one, of one with a `v`, and of one with leading zeros. */
export function normalizeVersion(text: string): SemanticVersion | string {
  const [first = "", second, ...others] = text.replace(/^v/, "").split(".");
  const given = [first, ...(second === undefined ? [] : [second])];
  if (others.length > 0) given.push(others.join("."));
  const parts = given.map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? ""))
    return "short version cannot contain PreRelease/Build meta data";
  while (parts.length < 3) parts.push("0");
  return readVersion(parts.join("."));
}

function withoutZeros(part: string): string {
  if (part.length <= 1) return part;
  const bare = part.replace(/^0+/, "");
  return /^[0-9]/.test(bare) ? bare : `0${bare}`;
}

/** Writes a version. */
export function formatVersion({ numbers, preRelease, build }: SemanticVersion): string {
  const pre = preRelease.length === 0 ? "" : `-${preRelease.join(".")}`;
  return `${numbers.join(".")}${pre}${build.length === 0 ? "" : `+${build.join(".")}`}`;
}

/** Orders versions by precedence: a pre-release comes before its release, and builds do not count. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, own] of a.numbers.entries()) {
    const difference = order(own, b.numbers[i] ?? 0n);
    if (difference !== 0) return difference;
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0)
    return order(b.preRelease.length === 0 ? 0 : 1, a.preRelease.length === 0 ? 0 : 1);
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

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function readNumber(digits: string, name: string): bigint | string {
  if (!/^[0-9]*$/.test(digits))
    return `Invalid character(s) found in ${name} number ${quote(digits)}`;
  if (/^0./.test(digits))
    return `${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${quote(digits)}`;
  const fault = digits === "" ? "invalid syntax" : "value out of range";
  const value = digits === "" ? -1n : BigInt(digits);
  return value === BigInt.asUintN(64, value)
    ? value
    : `strconv.ParseUint: parsing ${quote(digits)}: ${fault}`;
}

function firstFault(
  parts: readonly string[],
  faultOf: (part: string) => string | undefined,
): string | undefined {
  for (const part of parts) {
    const fault = faultOf(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function preReleaseFault(part: string): string | undefined {
  if (part === "") return "Prerelease is empty";
  if (/^0[0-9]+$/.test(part))
    return `Numeric PreRelease version must not contain leading zeroes ${quote(part)}`;
  if (/^[0-9]+$/.test(part) && BigInt(part) >= 2n ** 64n)
    return `strconv.ParseUint: parsing ${quote(part)}: value out of range`;
  return /^[0-9A-Za-z-]+$/.test(part)
    ? undefined
    : `Invalid character(s) found in prerelease ${quote(part)}`;
}

function buildFault(part: string): string | undefined {
  if (part === "") return "Build meta data is empty";
  return /^[0-9A-Za-z-]+$/.test(part)
    ? undefined
    : `Invalid character(s) found in build meta data ${quote(part)}`;
}
