import { expect, test } from "vitest";
import { chainIds, digestOf, hexOf, isDigest, shortId } from "./digest.ts";

const a = digestOf("a");
const b = digestOf("b");

test("chainIds: each layer is hashed with the chain below it", () => {
  expect(chainIds([])).toEqual([]);
  expect(chainIds([a, b, b])).toEqual([
    a,
    digestOf(`${a} ${b}`),
    digestOf(`${digestOf(`${a} ${b}`)} ${b}`),
  ]);
});

test.each([
  [a, true],
  [a.toUpperCase(), false],
  [`${a}0`, false],
  [`sha256:../../../../etc/passwd${"0".repeat(42)}`, false],
  [`sha512:${"0".repeat(128)}`, false],
  [undefined, false],
])("isDigest: %s", (text, expected) => {
  expect(isDigest(text)).toBe(expected);
});

test("hexOf: refuses what could be a path", () => {
  expect(hexOf(a)).toMatch(/^[0-9a-f]{64}$/);
  expect(() => hexOf("sha256:../x")).toThrow("invalid checksum digest format");
});

test("shortId: has twelve digits, with and without the algorithm", () => {
  expect([shortId(a), shortId(hexOf(a))]).toEqual([a.slice(7, 19), a.slice(7, 19)]);
});
