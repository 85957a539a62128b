import { expect, test } from "vitest";
import { version, versionInfo } from "../version.ts";
import { printVersion, reportedInfo, reportedVersion, versionFlag } from "./version-flag.ts";

const own = versionInfo.gitVersion;

/** The output for values given one after the other; undefined if the server starts. */
function printed(...values: readonly string[]): string | undefined {
  let text = "";
  const choice = values.reduce(
    (before, value) => versionFlag.read(value, before),
    versionFlag.default,
  );
  return printVersion(choice, { write: (more: string) => (text += more) }) ? text : undefined;
}

const prints: [values: string[], text: string | undefined][] = [
  [[], undefined],
  [["true"], `Kubernetes v1.36.0 (wherry ${version})\n`],
  [["T"], `Kubernetes v1.36.0 (wherry ${version})\n`],
  [["false"], undefined],
  [["v1.36.0-custom"], undefined],
  [["v1.36.0-custom", "true"], `Kubernetes v1.36.0-custom (wherry ${version})\n`],
  [["true", "v1.36.0-custom"], undefined],
];
test.each(prints)("--version: %j prints %j", (values, text) => {
  expect(printed(...values)).toBe(text);
});

test("--version=raw: prints all fields, as Go prints a struct", () => {
  expect(printed("v1.36.0+x", "raw")).toBe(
    `version.Info{Major:"1", Minor:"36", EmulationMajor:"", EmulationMinor:"", MinCompatibilityMajor:"", MinCompatibilityMinor:"", GitVersion:"v1.36.0+x", GitCommit:"", GitTreeState:"clean", BuildDate:"1970-01-01T00:00:00Z", GoVersion:"none", Compiler:"none", Platform:"${versionInfo.platform}"}\n`,
  );
});

const accepted = ["v1.36.0", own, "v1.36.0-custom", "v1.36.0-alpha.1+build.01", "v1.36.0+abc"];
test.each(accepted)("--version=%s: is reported", (text) => {
  const choice = versionFlag.read(text, undefined);
  expect([reportedInfo(choice).gitVersion, reportedVersion(choice)]).toEqual([text, text]);
});

const rejected: [text: string, message: string][] = [
  ["nope", 'strconv.ParseBool: parsing "nope": invalid syntax'],
  ["v", 'could not parse "v" as version'],
  ["version", 'could not parse "version" as version'],
  ["v1.36", 'illegal version string "v1.36"'],
  ["v1.036.0", 'illegal zero-prefixed version component "036" in "v1.036.0"'],
  ["v1.36.0-01", 'illegal zero-prefixed version component "01" in "v1.36.0-01"'],
  ["v1.36.0_x", 'could not parse pre-release/metadata (_x) in version "v1.36.0_x"'],
  [
    "v1.35.1-custom",
    `version "v1.35.1-custom" must match major/minor/patch of default version "${own}"`,
  ],
];
test.each(rejected)("--version=%s: is rejected", (text, message) => {
  expect(() => versionFlag.read(text, undefined)).toThrow(new Error(message));
});
