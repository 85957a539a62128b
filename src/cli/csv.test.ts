import { expect, test } from "vitest";
import { readCsv, writeCsv } from "./csv.ts";

test.each([
  ["", []],
  ["a", ["a"]],
  ["a,b,,c,", ["a", "b", "", "c", ""]],
  [" a , b ", [" a ", " b "]],
  ['"a,b",c', ["a,b", "c"]],
  ['"say ""hi""",""', ['say "hi"', ""]],
])("readCsv: %s", (line, fields) => {
  expect(readCsv(line)).toEqual(fields);
});

test.each([
  ['a"b', 'parse error on line 1, column 2: bare " in non-quoted-field'],
  ['x,"a', 'parse error on line 1, column 5: extraneous or missing " in quoted-field'],
  ['"a"b', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
])("readCsv: rejects %s", (line, message) => {
  expect(() => readCsv(line)).toThrow(message);
});

test.each([
  [["a", "b"], "a,b"],
  [["a,b", 'say "hi"', ""], '"a,b","say ""hi""",'],
])("writeCsv: %j", (fields, line) => {
  expect(writeCsv(fields)).toBe(line);
});
