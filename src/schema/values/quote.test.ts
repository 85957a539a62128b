import { expect, test } from "vitest";
import { quote, quoteBytes } from "./quote.ts";

test("quote: writes what Go's %q writes", () => {
  const cases: Record<string, string> = {
    "": '""',
    plain: '"plain"',
    'a"b\\c': '"a\\"b\\\\c"',
    "a\n\t\x00\x7f": '"a\\n\\t\\x00\\x7f"',
    "größe 日本": '"größe 日本"',
    "\u00a0\u200b": '"\\u00a0\\u200b"',
    "\u{1f600}\u{e0001}": '"\u{1f600}\\U000e0001"',
  };
  const got = Object.fromEntries(Object.keys(cases).map((text) => [text, quote(text)]));
  expect(got).toEqual(cases);
});

test("quoteBytes: bytes beyond ASCII are shown as bytes", () => {
  expect(quoteBytes('a"\\\n\x7fü')).toBe('"a\\"\\\\\\x0a\x7f\\xc3\\xbc"');
});
