import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { highestSupportedVersion, isOlder } from "./supported-version.ts";

each<[versions: readonly string[], highest: readonly number[] | string]>([
  [["1.0.0"], [1, 0, 0]],
  [
    ["v1.2", "1.10.0", "0.3.0", "2.0.0"],
    [1, 10, 0],
  ],
  [
    ["1.1.0", "odd"],
    [1, 1, 0],
  ],
  [["0.3.0"], "highest supported version reported is 0.3.0, must be v1.x"],
  [["2.0.0"], "could not find a highest supported version from versions ([2.0.0]) reported: <nil>"],
  [
    ["odd", "3.0"],
    'could not find a highest supported version from versions ([odd 3.0]) reported: could not parse "odd" as version',
  ],
  [
    ["1"],
    'could not find a highest supported version from versions ([1]) reported: illegal version string "1"',
  ],
  [
    ["01.2"],
    'could not find a highest supported version from versions ([01.2]) reported: illegal zero-prefixed version component "01" in "01.2"',
  ],
])("highestSupportedVersion: %j", (versions, highest) => {
  if (typeof highest === "string") expect(() => highestSupportedVersion(versions)).toThrow(highest);
  else expect(highestSupportedVersion(versions)).toEqual(highest);
});

test("isOlder: missing parts count as zero", () => {
  expect(isOlder([1, 0], [1, 0, 1])).toBe(true);
  expect(isOlder([1, 0, 0], [1, 0])).toBe(false);
  expect(isOlder([1, 2], [1, 1, 9])).toBe(false);
});
