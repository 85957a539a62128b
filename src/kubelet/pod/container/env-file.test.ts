import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { envFileValue } from "./env-file.ts";

each<[string, string, string]>([
  ["a value", "A='1'\nB='2'\n", "2"],
  ["comments, blank lines and blanks", "# B='0'\n\n  \t\n  B='2' # two\n", "2"],
  ["everything within quotes", "B=' $X \\n # \" '\n", ' $X \\n # " '],
  ["several lines", "A='x\nB=y'\nB='1\n\n2'\n", "1\n\n2"],
  ["a blank before the quote", "B= '2'\n", ""],
  ["the first of several", "B='1'\nB='2'\n", "1"],
  ["lines of other systems", "A='1'\r\nB='2'\r\n", "2"],
  ["no such variable", "A='1'\n", ""],
  ["an error after the variable", "B='2'\nC\n", "2"],
])("envFileValue: %s", (_, text, expected) => {
  expect(envFileValue(text, "B")).toBe(expected);
});

each<[string, string]>([
  ["A\nB='2'", "invalid environment variable format at line 1: missing '='"],
  ["\n='2'", "invalid environment variable format at line 2: empty variable name"],
  ["B ='2'", "invalid environment variable format at line 1: whitespace before '=' is not allowed"],
  ["B=", "invalid environment variable format at line 1: value must be enclosed in single quotes"],
  ["B=2", "invalid environment variable format at line 1: value must be enclosed in single quotes"],
  [
    "B='2'x",
    "invalid environment variable format at line 1: unexpected content after closing quote",
  ],
  ["\nB='2\n3", "invalid environment variable format starting at line 2: unclosed single quote"],
])("envFileValue: %j is invalid", (text, message) => {
  expect(() => envFileValue(text, "B")).toThrow(message);
});
