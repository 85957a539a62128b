import { baselineChecks } from "./baseline-checks.ts";
import type { Check, CheckPod, PodLike, Violation } from "./check.ts";
import { type LevelVersion, minorOf } from "./policy.ts";
import { restrictedChecks } from "./restricted-checks.ts";

/** The version of the newest rule, which also applies to later versions. */
const newest = Math.max(
  ...[...baselineChecks, ...restrictedChecks].flatMap(({ versions }) =>
    versions.map(([since]) => since),
  ),
);

/** The violations of a level by a pod. */
export function evaluate({ level, version }: LevelVersion, pod: PodLike): readonly Violation[] {
  if (level === "privileged") return [];
  const minor = Math.min(minorOf(version) ?? newest, newest);
  const stricter = level === "restricted" ? applying(restrictedChecks, minor) : [];
  const overridden = stricter.map(([{ overrides }]) => overrides);
  const below = applying(baselineChecks, minor).filter(([{ id }]) => !overridden.includes(id));
  return [...below, ...stricter].flatMap(([, check]) => check(pod) ?? []);
}

/** The checks that there are in a version, each as it is there. */
const applying = (checks: readonly Check[], minor: number): (readonly [Check, CheckPod])[] =>
  checks.flatMap((check) => {
    const version = check.versions.findLast(([since]) => since <= minor);
    return version ? [[check, version[1]] as const] : [];
  });

/** Violations in words, with all that is known of them. */
export const detailText = (violations: readonly Violation[]): string =>
  violations
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");

/** Violations in few words. */
export const reasonText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");
