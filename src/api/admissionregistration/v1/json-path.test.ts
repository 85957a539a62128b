import { expect, test } from "vitest";
import { checkJsonPath } from "./json-path.ts";

test.each([
  "text without a path",
  "{.spec.validations[0].expression}",
  "{spec.a}",
  "{..name}{.items[*]['a','b']}",
  '{.items[?(@.a=="x)")].b}',
  "{.items[?(@.a)]} {range .items[-1:]}{'it\\'s'}{end}",
  "{$.a\\.b[1:10:2]}",
  "{1.5}",
])("checkJsonPath: nothing is wrong with %s", (path) => {
  expect(checkJsonPath(path)).toBe(undefined);
});

test.each([
  ["{.a", "unclosed action"],
  ["{.a\n}", "unclosed action"],
  ["{.a[0}", "unterminated array"],
  ["{.a[x]}", "invalid array index x"],
  ["{.a[0,x]}", "invalid array index x"],
  ["{.a[1:-]}", "array index - is not a number"],
  ["{....a}", "invalid multiple recursive descent"],
  ["{#}", "unrecognized character in action: U+0023 '#'"],
  ["{'a}", "unterminated quoted string"],
  ["{'\\q'}", "unquote string '\\q' error invalid syntax"],
  ["{.a[?(@.b}", "unterminated filter"],
  ["{.a[?(@.b)}", "unclosed array expect ]"],
  ["{.a[?(@.b==#)]}", "unrecognized character in action: U+0023 '#'"],
  ["{-}", "cannot parse number -"],
  ["{1.2.3}", "cannot parse number 1.2.3"],
])("checkJsonPath: what is wrong with %j", (path, problem) => {
  expect(checkJsonPath(path)).toBe(problem);
});
