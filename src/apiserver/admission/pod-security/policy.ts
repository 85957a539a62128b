import { At, type FieldError } from "../../../schema/language/report.ts";

export const levels = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof levels)[number];

/** A level as it was in a version: `latest`, or such as `v1.30`. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: string;
}

/** The levels that a namespace enforces, audits and warns of. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export const levelText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** Whether one level is stricter than another. */
export const isStricter = (a: Level, b: Level): boolean => levels.indexOf(a) > levels.indexOf(b);

const privileged: LevelVersion = { level: "privileged", version: "latest" };
/** The default policy. */
const nothingSaid: Policy = { enforce: privileged, audit: privileged, warn: privileged };

/**
 * The policy in the labels of a namespace, and their errors. A level to enforce
 * that is not known is the strictest; one to note or to warn of is none.
 */
export function policyOf(
  labels: Readonly<Record<string, string>> = {},
  defaults: Policy = nothingSaid,
): { readonly policy: Policy; readonly errors: readonly FieldError[] } {
  const at = At.root();
  const read = (mode: keyof Policy, otherwise: Level) =>
    readMode(labels, at, { mode, otherwise, standard: defaults[mode] });
  const enforce = read("enforce", "restricted");
  const audit = read("audit", "privileged");
  const warn = read("warn", "privileged");
  const isWarned = !warn.hasLevel && enforce.isKnown && isStricter(enforce.level, warn.level);
  return {
    policy: {
      enforce: { level: enforce.level, version: enforce.version },
      audit: { level: audit.level, version: audit.version },
      warn: isWarned
        ? { level: enforce.level, version: warn.hasVersion ? warn.version : enforce.version }
        : { level: warn.level, version: warn.version },
    },
    errors: at.errors,
  };
}

interface Mode extends LevelVersion {
  readonly hasLevel: boolean;
  readonly hasVersion: boolean;
  /** Whether a valid level is given. */
  readonly isKnown: boolean;
}

function readMode(
  labels: Readonly<Record<string, string>>,
  at: At,
  {
    mode,
    otherwise,
    standard,
  }: { readonly mode: string; readonly otherwise: Level; readonly standard: LevelVersion },
): Mode {
  const label = `pod-security.kubernetes.io/${mode}`;
  const level = labels[label];
  const version = labels[`${label}-version`];
  const known = levels.find((one) => one === level);
  const report = at.child("metadata").child("labels");
  if (level !== undefined && !known)
    report.key(label).invalid("", level, `must be one of ${levels.join(", ")}`);
  const fault = version === undefined ? undefined : versionFault(version);
  if (fault !== undefined) report.key(`${label}-version`).invalid("", version, fault);
  return {
    level: known ?? (level === undefined ? standard.level : otherwise),
    version: fault === undefined ? (version ?? standard.version) : "latest",
    hasLevel: level !== undefined,
    hasVersion: version !== undefined,
    isKnown: known !== undefined,
  };
}

/** The error in a version; undefined if it is valid. */
export const versionFault = (version: string): string | undefined =>
  version === "latest" || minorOf(version) !== undefined ? undefined : 'must be "latest" or "v1.x"';

const maxMinor = 2n ** 63n - 1n;

/** The minor number of a version; undefined for `latest` and if it is invalid. */
export function minorOf(version: string): number | undefined {
  const digits = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(version)?.[1];
  return digits === undefined || BigInt(digits) > maxMinor ? undefined : Number(digits);
}
