import { expect, test } from "vitest";
import { compareSemanticVersions, parseSemanticVersion } from "./semantic-version.ts";

test.each([
  "",
  "1",
  "1.2",
  "v1.2.3",
  "01.2.3",
  "1.2.3-",
  "1.2.3-a..b",
  "1.2.3-01",
  "1.2.3+",
  "1.2.3 ",
])("parseSemanticVersion: %j is none", (text) => {
  expect(parseSemanticVersion(text)).toBe(undefined);
});

test("compareSemanticVersions: versions are in the order of semver.org", () => {
  const texts = [
    "0.9.9",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1+build.01",
    "1.0.0",
    "1.0.10",
    "1.2.0",
  ];
  const sorted = texts
    .toReversed()
    .toSorted((a, b) => compareSemanticVersions(versionOf(a), versionOf(b)));
  expect(sorted).toEqual(texts);
});

test("compareSemanticVersions: what a build is called does not count", () => {
  expect(compareSemanticVersions(versionOf("1.0.0+a"), versionOf("1.0.0+b"))).toBe(0);
});

function versionOf(text: string) {
  const version = parseSemanticVersion(text);
  if (!version) throw new Error(`${text} is no version`);
  return version;
}
