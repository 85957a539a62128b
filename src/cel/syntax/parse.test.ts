import { expect, test } from "vitest";
import { listMacros, optionalMacros, standardMacros, twoVariableMacros } from "./macro.ts";
import { parse } from "./parse.ts";

const macros = [...standardMacros(), ...optionalMacros(), ...twoVariableMacros(), ...listMacros()];

/** What an expression can begin with. */
const start =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function problemsOf(text: string): string[] {
  const parsed = parse(text, macros);
  if (!("problems" in parsed)) return [];
  return parsed.problems.map(
    ({ location, message }) => `${location.line}:${location.column + 1}: ${message}`,
  );
}

test.each<[rule: string, text: string, problems: string[]]>([
  ["an empty text", "", [`1:0: Syntax error: mismatched input '<EOF>' expecting ${start}`]],
  ["only white space", "  ", [`1:3: Syntax error: mismatched input '<EOF>' expecting ${start}`]],
  [
    "only a comment",
    "// nothing",
    [`1:11: Syntax error: mismatched input '<EOF>' expecting ${start}`],
  ],
  [
    "a missing right operand",
    "a +",
    [`1:4: Syntax error: mismatched input '<EOF>' expecting ${start}`],
  ],
  ["a missing left operand", "* a", [`1:1: Syntax error: extraneous input '*' expecting ${start}`]],
  ["a doubled operator", "a ++ b", [`1:4: Syntax error: extraneous input '+' expecting ${start}`]],
  [
    "a doubled comparison",
    "a == == b",
    [`1:6: Syntax error: extraneous input '==' expecting ${start}`],
  ],
  [
    "a missing operand of a conjunction",
    "a &&",
    [`1:5: Syntax error: mismatched input '<EOF>' expecting ${start}`],
  ],
  [
    "two missing operands",
    "a && || b",
    [`1:6: Syntax error: extraneous input '||' expecting ${start}`],
  ],
  ["a missing field name", "a.", ["1:3: Syntax error: no viable alternative at input '.'"]],
  ["two dots", "a..b", ["1:3: Syntax error: no viable alternative at input '..'"]],
  ["a number as a field", "a.1", ["1:2: Syntax error: extraneous input '.1' expecting <EOF>"]],
  [
    "a word of the language as a field",
    "a.true",
    ["1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  ],
  [
    "null as a field",
    "a.null",
    ["1:3: Syntax error: mismatched input 'null' expecting IDENTIFIER"],
  ],
  [
    "in as a field",
    "a.in",
    [
      "1:3: Syntax error: no viable alternative at input '.in'",
      `1:5: Syntax error: mismatched input '<EOF>' expecting ${start}`,
    ],
  ],
  [
    "a missing optional field name",
    "a.?",
    [
      "1:4: Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}",
      "1:4: unsupported ident kind",
    ],
  ],
  ["a missing closing parenthesis", "(a", ["1:3: Syntax error: missing ')' at '<EOF>'"]],
  ["a missing closing bracket", "a[1", ["1:4: Syntax error: missing ']' at '<EOF>'"]],
  [
    "a missing closing brace",
    "{1: 2",
    ["1:6: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
  ],
  [
    "a missing opening parenthesis",
    "a)",
    ["1:2: Syntax error: extraneous input ')' expecting <EOF>"],
  ],
  ["a wrong closing bracket", "(a]", ["1:3: Syntax error: mismatched input ']' expecting ')'"]],
  ["empty parentheses", "()", [`1:2: Syntax error: mismatched input ')' expecting ${start}`]],
  [
    "an index without an index",
    "a[]",
    [
      "1:3: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["a call without its end", "f(a", ["1:4: Syntax error: missing ')' at '<EOF>'"]],
  [
    "a call with a missing argument",
    "f(a,)",
    [`1:5: Syntax error: mismatched input ')' expecting ${start}`],
  ],
  [
    "a call with only a comma",
    "f(,)",
    [
      "1:3: Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    "two arguments without a comma",
    "f(a b)",
    ["1:5: Syntax error: extraneous input 'b' expecting ')'"],
  ],
  [
    "a method call without its end",
    "a.f(",
    [
      "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["a list with two commas", "[1,,2]", ["1:4: Syntax error: mismatched input ',' expecting ']'"]],
  ["a list with only a comma is one", "[,]", []],
  ["a map without a colon", "{1}", ["1:3: Syntax error: mismatched input '}' expecting ':'"]],
  ["a map without a value", "{1:}", [`1:4: Syntax error: mismatched input '}' expecting ${start}`]],
  [
    "a map without a key",
    "{:1}",
    [
      "1:2: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      "1:4: Syntax error: mismatched input '}' expecting ':'",
    ],
  ],
  ["a message without a colon", "A{b}", ["1:4: Syntax error: mismatched input '}' expecting ':'"]],
  [
    "a message without a value",
    "A{b:}",
    [`1:5: Syntax error: mismatched input '}' expecting ${start}`],
  ],
  [
    "a message with a number for a field",
    "A{1: 2}",
    [
      "1:3: Syntax error: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
    ],
  ],
  [
    "a conditional without its else",
    "a ? b",
    ["1:6: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ],
  ["a conditional without a colon", "a ? b c", ["1:7: Syntax error: missing ':' at 'c'"]],
  [
    "a conditional without its then",
    "a ? : c",
    [
      `1:5: Syntax error: extraneous input ':' expecting ${start}`,
      "1:8: Syntax error: mismatched input '<EOF>' expecting ':'",
    ],
  ],
  ["a stray name", "a b", ["1:3: Syntax error: extraneous input 'b' expecting <EOF>"]],
  ["two stray names", "a b c", ["1:3: Syntax error: mismatched input 'b' expecting <EOF>"]],
  ["a stray number", "1 2", ["1:3: Syntax error: extraneous input '2' expecting <EOF>"]],
  ["a stray string", "a 'b'", ["1:3: Syntax error: extraneous input ''b'' expecting <EOF>"]],
  [
    "a stray exclamation mark",
    "a ! b",
    ["1:3: Syntax error: mismatched input '!' expecting <EOF>"],
  ],
  [
    "an unterminated string",
    "'abc",
    [
      "1:1: Syntax error: token recognition error at: ''abc'",
      `1:5: Syntax error: mismatched input '<EOF>' expecting ${start}`,
    ],
  ],
  [
    "an unterminated double-quoted string",
    'a == "b',
    [
      "1:6: Syntax error: token recognition error at: '\"b'",
      `1:8: Syntax error: mismatched input '<EOF>' expecting ${start}`,
    ],
  ],
  [
    "a string over two lines",
    "'a\nb'",
    [
      "1:1: Syntax error: token recognition error at: ''a\n'",
      "2:2: Syntax error: token recognition error at: '''",
    ],
  ],
  [
    "an unknown escape",
    "'\\q'",
    [
      "1:1: Syntax error: token recognition error at: ''\\q'",
      "1:4: Syntax error: token recognition error at: '''",
      `1:5: Syntax error: mismatched input '<EOF>' expecting ${start}`,
    ],
  ],
  [
    "an incomplete hexadecimal escape",
    "'\\x4'",
    [
      "1:1: Syntax error: token recognition error at: ''\\x4''",
      `1:6: Syntax error: mismatched input '<EOF>' expecting ${start}`,
    ],
  ],
  [
    "an unterminated string of three quotes is two strings",
    "'''a",
    ["1:3: Syntax error: token recognition error at: ''a'"],
  ],
  [
    "an unknown character",
    "a @ b",
    [
      "1:3: Syntax error: token recognition error at: '@'",
      "1:5: Syntax error: extraneous input 'b' expecting <EOF>",
    ],
  ],
  [
    "a single ampersand",
    "a & b",
    [
      "1:3: Syntax error: token recognition error at: '& '",
      "1:5: Syntax error: extraneous input 'b' expecting <EOF>",
    ],
  ],
  [
    "a single bar",
    "a | b",
    [
      "1:3: Syntax error: token recognition error at: '| '",
      "1:5: Syntax error: extraneous input 'b' expecting <EOF>",
    ],
  ],
  [
    "a single equals sign",
    "a = b",
    [
      "1:3: Syntax error: token recognition error at: '= '",
      "1:5: Syntax error: extraneous input 'b' expecting <EOF>",
    ],
  ],
  ["a dollar sign", "$a", ["1:1: Syntax error: token recognition error at: '$'"]],
  [
    "a backslash",
    "\\",
    [
      "1:1: Syntax error: token recognition error at: '\\'",
      `1:2: Syntax error: mismatched input '<EOF>' expecting ${start}`,
    ],
  ],
  [
    "a letter that is no Latin one",
    "ä",
    [
      "1:1: Syntax error: token recognition error at: 'ä'",
      `1:2: Syntax error: mismatched input '<EOF>' expecting ${start}`,
    ],
  ],
  ["a semicolon", "a;", ["1:2: Syntax error: token recognition error at: ';'"]],
  ["a quoted name", "a.`b`", ["1:3: unsupported syntax: '`'"]],
  [
    "a quoted name that is not closed",
    "a.`b",
    [
      "1:3: Syntax error: token recognition error at: '`b'",
      "1:5: Syntax error: no viable alternative at input '.'",
    ],
  ],
  [
    "a quoted name outside of a selection",
    "`a`",
    [`1:1: Syntax error: mismatched input '\`a\`' expecting ${start}`],
  ],
  ["a reserved word", "if", ["1:1: reserved identifier: if"]],
  ["a reserved word as a function", "for(a)", ["1:1: reserved identifier: for"]],
  ["a reserved word in a field is a name", "a.if", []],
  [
    "a negative number with a dot",
    "-1.",
    ["1:4: Syntax error: no viable alternative at input '.'"],
  ],
  [
    "a minus before a minus before a dot",
    "--a.",
    ["1:5: Syntax error: no viable alternative at input '.'"],
  ],
  ["a not before nothing", "!", [`1:2: Syntax error: extraneous input '<EOF>' expecting ${start}`]],
  [
    "a negation of an operator",
    "-*a",
    [
      "1:2: Syntax error: no viable alternative at input '-*'",
      `1:2: Syntax error: extraneous input '*' expecting ${start}`,
    ],
  ],
  [
    "a literal with a method that is not closed",
    "-1.f(",
    [
      "1:6: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["an integer that is too large", "9223372036854775808", ["1:1: invalid int literal"]],
  ["the least integer is one", "-9223372036854775808", []],
  ["an unsigned integer that is too large", "18446744073709551616u", ["1:1: invalid uint literal"]],
  ["a double that is too large", "1e999", ["1:1: invalid double literal"]],
  ["an escape that is no character", "'\\U00110000'", ["1:1: invalid unicode code point"]],
  ["a half of a pair as an escape", "'\\ud800'", ["1:1: invalid unicode code point"]],
  ["a character escape in bytes", "b'\\u00ff'", ["1:1: unable to unescape string"]],
  ["has of something that is no field", "has(a)", ["1:5: invalid argument to has() macro"]],
  ["a quantifier without a name", "a.all(1, true)", ["1:7: argument must be a simple name"]],
  ["a filter without a name", "a.filter(b.c, true)", ["1:11: argument is not an identifier"]],
  ["a map without a name", "a.map(1, 2)", ["1:7: argument is not an identifier"]],
  [
    "a quantifier over the name of the result",
    "a.exists(__result__, true)",
    ["1:10: iteration variable overwrites accumulator variable"],
  ],
  ["two equal names", "a.all(i, i, true)", ["1:10: duplicate variable name: i"]],
  [
    "optMap without a name",
    "a.optMap(1, 2)",
    ["1:10: optMap() variable name must be a simple identifier"],
  ],
  [
    "sortBy of a number",
    "1.sortBy(a, a)",
    [
      "1:1: sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    ],
  ],
  [
    "a mistake on the second line",
    "a ==\n  b c",
    ["2:5: Syntax error: extraneous input 'c' expecting <EOF>"],
  ],
  [
    "several mistakes",
    "a b & c )",
    [
      "1:5: Syntax error: token recognition error at: '& '",
      "1:3: Syntax error: mismatched input 'b' expecting <EOF>",
    ],
  ],
  [
    "wide characters before a mistake",
    "'äö' a",
    ["1:6: Syntax error: extraneous input 'a' expecting <EOF>"],
  ],
])("parse: %s", (_, text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});

test.each([
  [
    "parentheses",
    `${"(".repeat(250)}a${")".repeat(250)}`,
    "expression recursion limit exceeded: 250",
  ],
  ["fields", `a${".b".repeat(251)}`, "max recursion depth exceeded"],
  [
    "characters",
    "a".repeat(100_001),
    "expression code point size exceeds limit: size: 100001, limit 100000",
  ],
])("parse: there may not be too many %s", (_, text, message) => {
  expect(problemsOf(text)).toEqual([`-1:0: ${message}`]);
});

test("parse: deep expressions within the limits are read", () => {
  expect(problemsOf(`${"(".repeat(249)}a${")".repeat(249)}`)).toEqual([]);
  expect(problemsOf(`a${".b".repeat(250)}`)).toEqual([]);
});

test("parse: after thirty recoveries it gives up", () => {
  const problems = problemsOf(`f(${Array.from({ length: 40 }, () => "(a !)").join(", ")})`);
  expect(problems.at(-1)).toMatch(/error recovery attempt limit exceeded: 30$/);
});

test("parse: after a hundred mistakes it gives up", () => {
  const problems = problemsOf("@".repeat(150));
  expect(problems).toHaveLength(101);
  expect(problems.at(-1)).toBe("1:101: Syntax error: More than 100 syntax errors");
});

test("parse: a recovery skips at most 256 tokens", () => {
  const problems = problemsOf(`a ${"b ".repeat(300)}`);
  expect(problems.at(-1)).toBe("-1:0: error recovery token lookahead limit exceeded: 256");
});
