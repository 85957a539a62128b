import { CelError, type CelValue } from "../values/cel-value.ts";
import { CelVersion } from "../values/kubernetes-values.ts";
import {
  compareVersions,
  normalizeVersion,
  readVersion,
  type SemanticVersion,
} from "../values/semantic-version.ts";
import { type Implementations, one, two } from "./implementation.ts";

/** The functions on versions. */
export const versionFunctions: Implementations = {
  string_to_semver: one((text: string) => versionOf(readVersion(text))),
  string_bool_to_semver: two((text: string, normalize: boolean) =>
    versionOf(normalize ? normalizeVersion(text) : readVersion(text)),
  ),
  is_semver_string: one((text: string) => typeof readVersion(text) !== "string"),
  is_semver_string_bool: two(
    (text: string, normalize: boolean) =>
      typeof (normalize ? normalizeVersion(text) : readVersion(text)) !== "string",
  ),
  semver_is_greater_than: two((a: CelVersion, b: CelVersion) => compare(a, b) > 0),
  semver_is_less_than: two((a: CelVersion, b: CelVersion) => compare(a, b) < 0),
  semver_compare_to: two((a: CelVersion, b: CelVersion) => BigInt(compare(a, b))),
  semver_major: one(({ version }: CelVersion) => BigInt.asIntN(64, version.numbers[0])),
  semver_minor: one(({ version }: CelVersion) => BigInt.asIntN(64, version.numbers[1])),
  semver_patch: one(({ version }: CelVersion) => BigInt.asIntN(64, version.numbers[2])),
};

const versionOf = (read: SemanticVersion | string): CelValue =>
  typeof read === "string" ? new CelError(read) : new CelVersion(read);

const compare = (a: CelVersion, b: CelVersion): number => compareVersions(a.version, b.version);
