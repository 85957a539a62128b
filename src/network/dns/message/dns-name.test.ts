import { expect, test } from "vitest";
import { nameIn } from "./dns-message.test-support.ts";
import { foldCase, isWithin, labelsOf, nameOfLabels, nameText, parseName } from "./dns-name.ts";

test("parseName: labels after their lengths, with or without a dot at the end", () => {
  expect(parseName("web.Example.com")).toBe("\x03web\x07Example\x03com\0");
  expect(parseName("web.Example.com.")).toBe("\x03web\x07Example\x03com\0");
  expect(parseName(".")).toBe("\0");
});

test.each([
  ["nothing", ""],
  ["an empty label", "a..b"],
  ["a long label", `${"a".repeat(64)}.b`],
  ["a long name", Array(5).fill("a".repeat(63)).join(".")],
  ["a character beyond a byte", "日本.example"],
])("parseName: %s is no name", (_, text) => {
  expect(parseName(text)).toBeUndefined();
});

test("nameText: special characters are escaped, and labels may have dots", () => {
  expect(nameText(nameOfLabels(["a.b", 'c"d', "\x01\xff", "e f", "_tcp", "x-1"]) ?? "")).toBe(
    'a\\.b.c\\"d.\\001\\255.e\\032f._tcp.x-1.',
  );
  expect(labelsOf(nameOfLabels(["a.b", "c"]) ?? "")).toEqual(["a.b", "c"]);
});

test("foldCase: letters of ASCII only, and lengths stay", () => {
  const long = "A".repeat(63);
  expect(foldCase(nameIn(`${long}.ÀZ`))).toBe(nameIn(`${"a".repeat(63)}.Àz`));
});

test.each([
  ["web.cluster.local", true],
  ["cluster.local", true],
  ["mycluster.local", false],
  ["local", false],
  // The bytes of the zone, in the middle of a label.
  ["x\x07cluster\x05local", false],
])("isWithin: %j in cluster.local: %s", (text, is) => {
  expect(isWithin(nameIn(text), nameIn("cluster.local"))).toBe(is);
});
