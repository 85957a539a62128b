import { expect, test } from "vitest";
import { splitDocuments, toYaml, YamlError, yamlDocuments, yamlLine, yamlToJson } from "./yaml.ts";

test("yamlToJson: plain scalars are read as kubectl reads them", () => {
  const cases: Record<string, unknown> = {
    yes: true,
    Yes: true,
    y: true,
    on: true,
    off: false,
    NO: false,
    true: true,
    tRUE: "tRUE",
    "~": null,
    Null: null,
    nULL: "nULL",
    "0": 0,
    "12": 12,
    "-12": -12,
    "+12": 12,
    "0644": 420,
    "0o644": 420,
    "08": 8,
    "0x1F": 31,
    "-0x1f": -31,
    "0b101": 5,
    "1_000": 1000,
    _1: "_1",
    "12:30": "12:30",
    "1:2:3": "1:2:3",
    "1.5": 1.5,
    "1.": 1,
    ".5": 0.5,
    "1e3": 1000,
    "1E-2": 0.01,
    "1e400": "1e400",
    "0x": "0x",
    "-a": "-a",
    ".": ".",
    "1.2.3": "1.2.3",
    "10.0.0.1": "10.0.0.1",
    "2024-01-02": "2024-01-02",
    "2024-01-02T03:04:05Z": "2024-01-02T03:04:05Z",
    "9007199254740993": 9007199254740993n,
    "18446744073709551615": 18446744073709551615n,
    "-9223372036854775808": -9223372036854775808n,
    "100000000000000000000": 1e20,
    "=": "=",
    v1: "v1",
  };
  const got = Object.keys(cases).map((text) => [text, yamlToJson(`- ${text}`)]);
  const want = Object.entries(cases).map(([text, value]) => [text, [value]]);
  expect(Object.fromEntries(got)).toEqual(Object.fromEntries(want));
});

test.each([
  ["", null],
  ["# only a comment\n", null],
  [
    "a: 'yes'\nb: \"12\"\nc: |\n  1\nd: !!str 5\ne: !foo 5\n",
    { a: "yes", b: "12", c: "1\n", d: "5", e: "5" },
  ],
  ["a: !!int '5'\nb: !!float 5\nc: !!binary aGk=\n", { a: 5, b: 5, c: "hi" }],
  ["1: a\ntrue: b\n1.5: c\nyes: d\n", { "1": "a", true: "d", "1.5": "c" }],
  ["a: &x {b: 1}\nc: *x\n", { a: { b: 1 }, c: { b: 1 } }],
  ["a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }],
  ["d: {c: 3, <<: {c: 4}}\n", { d: { c: 4 } }],
  ["d: {<<: [{a: 1}, {a: 2, b: 2}]}\n", { d: { a: 1, b: 2 } }],
  ["'<<': 1\n", { "<<": 1 }],
  ['{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
  ["a:\n- b\n- c: 1\n  d: 2\n", { a: ["b", { c: 1, d: 2 }] }],
  ["a\n---\nb\n", "a"],
])("yamlToJson: %j", (text, want) => {
  expect(yamlToJson(text, { lenient: true })).toEqual(want);
});

test("yamlToJson: __proto__ is a name like any other", () => {
  expect(JSON.stringify(yamlToJson("__proto__: {a: 1}"))).toBe('{"__proto__":{"a":1}}');
});

test("yamlToJson: of duplicate keys the last wins, where they are allowed", () => {
  const text = "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n1: x\n1: z\n";
  expect(yamlToJson(text, { lenient: true })).toEqual({ a: 3, b: { c: 2 }, "1": "z" });
  const message =
    'unmarshal errors:\n  line 4: key "c" already set in map\n  line 5: key "a" already set in map\n  line 7: key 1 already set in map';
  expect(() => yamlToJson(text)).toThrow(new YamlError(message));
});

test.each([
  ["a: .nan", "json: unsupported value: NaN"],
  ["a: -.inf", "json: unsupported value: -Inf"],
  ["~: x", 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "x"'],
  [
    "a: {{ .Values.x }}",
    'invalid map key: map[interface {}]interface {}{".Values.x":interface {}(nil)}',
  ],
  ["a: *x", "unknown anchor 'x' referenced"],
  ["a: &x [*x]", "anchor 'x' value contains itself"],
  ["a: {<<: 5}", "map merge requires map or sequence of maps as the value"],
  ["a: !!int x", "cannot decode !!str `x` as a !!int"],
  ["a: !!binary '*'", "!!binary value contains invalid base64 data"],
  ["a: b: c", "mapping values are not allowed in this context"],
  ["a: 1\n  b: 2", "line 2: mapping values are not allowed in this context"],
  ["a:\n  b: 1\n c: 2", "line 2: did not find expected key"],
  ["a: 1\nb: @x", "line 2: found character that cannot start any token"],
  ["a: 1\n\tb: 2", "line 2: found character that cannot start any token"],
  ['a: 1\nb: "x', "line 2: found unexpected end of stream"],
  ["a: [1, 2", "did not find expected ',' or ']'"],
])("yamlToJson: %j is refused", (text, message) => {
  expect(() => yamlToJson(text)).toThrow(new YamlError(message));
});

test("yamlToJson: aliases of aliases do not exhaust memory", () => {
  const levels = Array.from({ length: 12 }, (_, i) => {
    const items = Array(10)
      .fill(i === 0 ? "x" : `*a${i - 1}`)
      .join(", ");
    return `a${i}: &a${i} [${items}]`;
  });
  expect(() => yamlToJson(levels.join("\n"))).toThrow(
    new YamlError("document contains excessive aliasing"),
  );
});

test("yamlDocuments: documents stand between lines of dashes, empty ones count for nothing", () => {
  const text = "# head\n---\na: 1\n--- # second\n\n---\nb: |\n  ---\n  x\n---\n";
  expect(yamlDocuments(text)).toEqual([{ a: 1 }, { b: "---\nx\n" }]);
  expect(() => splitDocuments("a: 1\n--- b\n")).toThrow(
    new YamlError("invalid Yaml document separator: b"),
  );
});

test("toYaml: strings are quoted where kubectl quotes them", () => {
  const cases = {
    plain: "plain",
    "": '""',
    yes: '"yes"',
    null: '"null"',
    "12": '"12"',
    "0644": '"0644"',
    "12:30": '"12:30"',
    "1e3": '"1e3"',
    "2024-01-02T03:04:05Z": '"2024-01-02T03:04:05Z"',
    "2024-13-02": "2024-13-02",
    "10.0.0.1": "10.0.0.1",
    "a: b": "'a: b'",
    "a:b": "a:b",
    "a #b": "'a #b'",
    "a#b": "a#b",
    "- a": "'- a'",
    "-a": "-a",
    "--- a": "'--- a'",
    "{a}": "'{a}'",
    "a{b}, c": "a{b}, c",
    "*": "'*'",
    "it's: x": "'it''s: x'",
    " lead": "' lead'",
    "trail ": "'trail '",
    "colon:": "'colon:'",
    "tab\there": '"tab\\there"',
    "\u{1f600}": '"\\U0001F600"',
    größe: "größe",
    '"q"': "'\"q\"'",
    "~": '"~"',
    "=": "=",
    "<<": "<<",
  };
  const got = Object.keys(cases).map((text) => [text, toYaml([text]).slice(2, -1)]);
  expect(Object.fromEntries(got)).toEqual(cases);
});

test.each<[unknown, string]>([
  [{}, "{}\n"],
  [[], "[]\n"],
  [null, "null\n"],
  [{ b: 1, a: { d: [], c: {} } }, "a:\n  c: {}\n  d: []\nb: 1\n"],
  [{ a: ["x", { c: 2, b: [1] }, [1, [2]]] }, "a:\n- x\n- b:\n  - 1\n  c: 2\n- - 1\n  - - 2\n"],
  [[{ a: 1 }, { b: { c: 1 } }], "- a: 1\n- b:\n    c: 1\n"],
  [
    { a: "x\ny\n", b: "x\ny", c: "x\n\n", d: " x\ny" },
    "a: |\n  x\n  y\nb: |-\n  x\n  y\nc: |+\n  x\n\nd: |2-\n   x\n  y\n",
  ],
  [["x\n\ny\n", "z"], "- |\n  x\n\n  y\n- z\n"],
  [{ a: "x \ny" }, 'a: "x \\ny"\n'],
  [
    { a: 1.5, b: 1e21, c: 123456789, d: -0.00001, e: 12n },
    "a: 1.5\nb: 1e+21\nc: 123456789\nd: -1e-05\ne: 12\n",
  ],
  [
    { a10: 1, a2: 2, A: 3, "1": 4, "a-b": 5, ab: 6, "": 7 },
    '"": 7\n"1": 4\nA: 3\na-b: 5\na2: 2\na10: 1\nab: 6\n',
  ],
  [{ u: undefined, t: true }, "t: true\n"],
])("toYaml: case %#", (value, want) => {
  expect(toYaml(value)).toBe(want);
});

test("toYaml: lines are folded behind column 80, at single spaces", () => {
  const words = (count: number) => Array(count).fill("0123456789").join(" ");
  const cases: [unknown, string][] = [
    [{ message: words(12) }, `message: ${words(7)}\n  ${words(5)}\n`],
    [{ a: { m: `x: ${words(12)}` } }, `a:\n  m: 'x: ${words(7)}\n    ${words(5)}'\n`],
    [[`${words(9)}  ${words(1)}`], `- ${words(8)}\n  ${words(1)}  ${words(1)}\n`],
    [[`\t${words(9)}`], `- "\\t${words(7)}\n  ${words(2)}"\n`],
    [[`\t${words(7)}  x`], `- "\\t${words(7)}\n  \\ x"\n`],
    [{ [words(9)]: 1 }, `${words(9)}: 1\n`],
  ];
  expect(cases.map(([value]) => toYaml(value))).toEqual(cases.map(([, want]) => want));
});

test("toYaml: a key of more than 128 bytes stands alone", () => {
  const key = "k".repeat(129);
  expect(toYaml({ [key]: ["v"], b: 1 })).toBe(`b: 1\n? ${key}\n: - v\n`);
});

test("toYaml: is read back as it was", () => {
  const value = {
    list: [[], [[]], [{}], [{ a: [] }], ["a\nb", " x", "x "], "\u2028", "\ufeff", "\x7f"],
    deep: { a: { b: { c: ["- ", "? ", ": ", "#", "a\n\n\nb\n\n"] } } },
    "odd: key": { "- x": 1, "multi\nline": 2, "": 3 },
  };
  expect(yamlToJson(toYaml(value))).toEqual(value);
});

test("yamlLine: the line of a key, by the keys that lead to it", () => {
  const text = "# first\na: 1\nb:\n  a:\n  - x: 1\n  'c d': 2\nc: *d\n".replace("*d", "&d {e: 1}");
  const lines = [["a"], ["b", "a"], ["b", "c d"], ["c", "e"], ["d"], ["a", "b"], ["b", "a", "x"]];
  expect(lines.map((path) => yamlLine(text, path))).toEqual([
    2,
    4,
    6,
    7,
    undefined,
    undefined,
    undefined,
  ]);
});
