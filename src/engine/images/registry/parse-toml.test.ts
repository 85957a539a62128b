import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { parseToml, type TomlValue } from "./parse-toml.ts";

/** Tables as objects, to compare them. */
const plain = (value: TomlValue): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].map(([key, member]) => [key, plain(member)]))
    : Array.isArray(value)
      ? value.map(plain)
      : value;

each<[string, string, unknown]>([
  ["nothing", "", {}],
  ["comments", "# a\n\n  # b\r\na = 1 # c", { a: 1 }],
  [
    "values",
    `a = "x\\n\\u00e9"\nb = 'c:\\d'\nc = true\nd = -1_000`,
    { a: "x\né", b: "c:\\d", c: true, d: -1000 },
  ],
  ["arrays", 'a = [\n "x", # one\n ["y"],\n]\nb = []', { a: ["x", ["y"]], b: [] }],
  [
    "tables",
    '[a]\nx = 1\n[a."b.c:1".d]\ny = 2\n[e]',
    { a: { x: 1, "b.c:1": { d: { y: 2 } } }, e: {} },
  ],
  ["dotted keys and inline tables", "a.b = { c = 1, 'd' = [2] }", { a: { b: { c: 1, d: [2] } } }],
])("parseToml: %s", (_, text, expected) => {
  expect(plain(parseToml(text))).toEqual(expected);
});

each<[string, string]>([
  ["a", "line 1: expected ="],
  ["\na = ", "line 2: expected a value"],
  ['a = "x', "line 1: expected a value"],
  ["a = 1 b = 2", "line 1: expected a new line"],
  ["a = 1\na = 2", "line 2: a is given twice"],
  ["a = 1\n[a.b]", "line 2: a is not a table"],
  ["[a", "line 1: expected ]"],
  ["a = [1", "line 1: expected ]"],
])("parseToml: %s is refused: %s", (text, message) => {
  expect(() => parseToml(text)).toThrow(message);
});
