import { expect, test } from "vitest";
import { goJson } from "./go-json.ts";

test.each<[value: unknown, json: string]>([
  ["plain", '"plain"'],
  ["a<b>c&d", '"a\\u003cb\\u003ec\\u0026d"'],
  ["a\u2028b\u2029c", '"a\\u2028b\\u2029c"'],
  [{ "<": ["é", 1, null] }, '{"\\u003c":["é",1,null]}'],
])("goJson: %j", (value, json) => {
  expect(goJson(value)).toBe(json);
});

test("goJson: indented", () => {
  expect(goJson({ a: "&" }, 1)).toBe('{\n "a": "\\u0026"\n}');
});
