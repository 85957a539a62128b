import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { nodeMaskedPaths, parseProcessors } from "./masked-paths.ts";

each<[string, readonly number[]]>([
  ["0-3\n", [0, 1, 2, 3]],
  ["0", [0]],
  ["0-1,4,6-7", [0, 1, 4, 6, 7]],
  ["", []],
])("parseProcessors: %j", (text, expected) => {
  expect(parseProcessors(text)).toEqual(expected);
});

test("nodeMaskedPaths: memory, keys and power are hidden", () => {
  expect(nodeMaskedPaths()).toEqual(
    expect.arrayContaining(["/proc/kcore", "/proc/keys", "/sys/devices/virtual/powercap"]),
  );
});
