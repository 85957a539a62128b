import { quote } from "../schema/values/quote.ts";

/** The fields of a version, in the order of Go's struct. */
export const versionFields = [
  "major",
  "minor",
  "emulationMajor",
  "emulationMinor",
  "minCompatibilityMajor",
  "minCompatibilityMinor",
  "gitVersion",
  "gitCommit",
  "gitTreeState",
  "buildDate",
  "goVersion",
  "compiler",
  "platform",
] as const;

/** A version as Go prints the struct. */
export function versionText(version: Readonly<Record<string, string>>): string {
  const members = versionFields.map(
    (name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}:${quote(version[name] ?? "")}`,
  );
  return `version.Info{${members.join(", ")}}`;
}
