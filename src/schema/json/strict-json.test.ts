import { expect, test } from "vitest";
import { jsonValue, parseJson, scanJson, stringifyJson } from "./strict-json.ts";

const documents = [
  "null",
  " true ",
  "-0.5e+10",
  '"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00ü"',
  "[]",
  "{}",
  " [ 1 , [ ] , { } , [ [ 2 ] ] ] ",
  '{"a":{"b":[{"c":null}]},"":"","__proto__":{"x":1}}',
];

test("jsonValue: agrees with JSON.parse where that loses nothing", () => {
  expect(documents.map((text) => jsonValue(parseJson(text)))).toEqual(
    documents.map((text) => JSON.parse(text)),
  );
});

test("parseJson: keeps duplicates, literals and places", () => {
  expect(parseJson('{"a": 1.0, "a":\n[true]}')).toEqual({
    kind: "object",
    start: 0,
    end: 23,
    members: [
      { name: "a", value: { kind: "number", literal: "1.0", start: 6, end: 9 } },
      {
        name: "a",
        value: {
          kind: "array",
          items: [{ kind: "boolean", value: true, start: 17, end: 21 }],
          start: 16,
          end: 22,
        },
      },
    ],
  });
});

test("jsonValue: integers of 64 bits are kept, half characters replaced, members own", () => {
  const text =
    '{"a":9223372036854775807,"a":-9007199254740993,"b":9223372036854775808,"c":"\\ud800x","__proto__":1}';
  const value = jsonValue(parseJson(text)) as Record<string, unknown>;
  expect([Object.entries(value), Object.getPrototypeOf(value)]).toEqual([
    [
      ["a", -9007199254740993n],
      ["b", 2 ** 63],
      ["c", "\ufffdx"],
      ["__proto__", 1],
    ],
    Object.prototype,
  ]);
});

test.each([
  ["", "unexpected end of JSON input"],
  [" ", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a"', "unexpected end of JSON input"],
  ['{"a":', "unexpected end of JSON input"],
  ['{"a":1', "unexpected end of JSON input"],
  ['{"a":1,', "unexpected end of JSON input"],
  ["[1", "unexpected end of JSON input"],
  ['"abc', "unexpected end of JSON input"],
  ["x", "invalid character 'x' looking for beginning of value"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ["ü", "invalid character 'Ã' looking for beginning of value"],
  ["😀", "invalid character 'ð' looking for beginning of value"],
  ["\u0000", "invalid character '\\x00' looking for beginning of value"],
  ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["{}}", "invalid character '}' after top-level value"],
  ["01", "invalid character '1' after top-level value"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\', "invalid character ' ' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
  ["-a", "invalid character 'a' in numeric literal"],
  ["-", "invalid character ' ' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1e+", "invalid character ' ' in exponent of numeric literal"],
  ["trap", "invalid character 'a' in literal true (expecting 'u')"],
  ["fals", "invalid character ' ' in literal false (expecting 'e')"],
  ["nil", "invalid character 'i' in literal null (expecting 'u')"],
])("parseJson: %j is refused", (text, message) => {
  expect(() => parseJson(text)).toThrow(expect.objectContaining({ message: message }));
});

test("parseJson: ten thousand levels are the limit", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(parseJson(nested(10_000)).end).toBe(20_000);
  expect(() => parseJson(nested(10_001))).toThrow(
    expect.objectContaining({ message: "invalid character '[' exceeded max depth" }),
  );
});

test.each([
  ['{"a":1,"b":{"c:":"x:\\":y","d\\\\":[{},{"e":null}]}}', { members: 5, oddNumbers: false }],
  ['{"a":1,"a":123456789012345}', { members: 2, oddNumbers: false }],
  ["1234567890123456", { members: 0, oddNumbers: true }],
  ["[1.5]", { members: 0, oddNumbers: true }],
  ['{"a":-1E5}', { members: 1, oddNumbers: true }],
  ['"1.5:"', { members: 0, oddNumbers: false }],
  ["[true,false]", { members: 0, oddNumbers: false }],
])("scanJson: %s", (text, want) => {
  expect(scanJson(text)).toEqual(want);
});

test("stringifyJson: integers of 64 bits are written out", () => {
  const text = '{"a":[9223372036854775807,1,null,"x"],"b":{"c":true}}';
  expect([stringifyJson(jsonValue(parseJson(text))), stringifyJson({ a: 1 })]).toEqual([
    text,
    '{"a":1}',
  ]);
});
