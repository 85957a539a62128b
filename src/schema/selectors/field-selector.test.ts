import { expect, test } from "vitest";
import { type FieldSelector, parseFieldSelector, requiredFieldValue } from "./field-selector.ts";

/** The selector as text, with `\\`, `,` and `=` in values escaped. */
const format = (selector: FieldSelector): string =>
  selector
    .map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, "\\$&")}`)
    .join(",");

test("parseFieldSelector: is written back in one form, sorted", () => {
  const cases = {
    "": "",
    ",,": "",
    "x=a,y=b": "x=a,y=b",
    "y=b,x==a": "x=a,y=b",
    "x!=a": "x!=a",
    "x=": "x=",
    "=a": "=a",
    "x=a\\,b\\=c\\\\d": "x=a\\,b\\=c\\\\d",
    "x=a!b": "x=a!b",
    "x!a=b": "x!a=b",
  };
  const got = Object.keys(cases).map((text) => [text, format(parseFieldSelector(text))]);
  expect(Object.fromEntries(got)).toEqual(cases);
});

test("parseFieldSelector: lists what is asked", () => {
  expect(parseFieldSelector("spec.nodeName!=a\\,b,metadata.name==x")).toEqual([
    { field: "metadata.name", operator: "=", value: "x" },
    { field: "spec.nodeName", operator: "!=", value: "a,b" },
  ]);
});

test.each([
  ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ["a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
  ["a\\,b", "invalid selector: 'a\\,b'; can't understand 'a\\,b'"],
  ["x=a=b", "invalid field selector: unescaped character in value: 61"],
  ["x==a=b", "invalid field selector: unescaped character in value: 61"],
  ["x=a\\b", "invalid field selector: invalid escape sequence: \\b"],
  ["x=a\\", "invalid field selector: invalid escape sequence: \\"],
  ["x=\\😀", "invalid field selector: invalid escape sequence: \\😀"],
])("parseFieldSelector: %j is refused", (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(new SyntaxError(message));
});

test("requiredFieldValue: only an equality requires a value", () => {
  const selector = parseFieldSelector("a!=b,c=d");
  expect([requiredFieldValue(selector, "a"), requiredFieldValue(selector, "c")]).toEqual([
    undefined,
    "d",
  ]);
});
