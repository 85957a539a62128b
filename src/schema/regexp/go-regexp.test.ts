import { expect, test } from "vitest";
import { goRegexp, regexpFault } from "./go-regexp.ts";

test.each([
  "",
  "^a+b*?c??$",
  "a{2}b{2,}c{2,3}?",
  "a{,2}",
  "a{x}",
  "[]a]",
  "[^]a]",
  "[a-]",
  "[[:alpha:][:^digit:]]",
  "\\pL\\p{Greek}\\P{Lu}\\p{^L}",
  "(?i)a(?s:.)(?-i)b",
  "(?P<name>a)(?<other>b)",
  "\\Qa.b\\E\\x41\\x{1F600}\\012\\.",
  "\\d\\D\\s\\S\\w\\W\\b\\B\\A\\z",
  "x|y|",
  "^*",
])("regexpFault: %s can be read", (pattern) => {
  expect([regexpFault(pattern), goRegexp(pattern).test("")]).toEqual([
    undefined,
    expect.any(Boolean),
  ]);
});

test.each([
  ["(", "missing closing ): `(`"],
  ["a)", "unexpected ): `a)`"],
  ["[a", "missing closing ]: `[a`"],
  ["x[", "missing closing ]: `[`"],
  ["*a", "missing argument to repetition operator: `*`"],
  ["(|*)", "missing argument to repetition operator: `*`"],
  ["a**", "invalid nested repetition operator: `**`"],
  ["a+?+", "invalid nested repetition operator: `+?+`"],
  ["a{1001}", "invalid repeat count: `{1001}`"],
  ["a{3,2}", "invalid repeat count: `{3,2}`"],
  ["(a{100}){11}", "invalid repeat count: `{11}`"],
  ["a\\", "trailing backslash at end of expression: ``"],
  ["\\y", "invalid escape sequence: `\\y`"],
  ["\\1", "invalid escape sequence: `\\1`"],
  ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
  ["(?!a)", "invalid or unsupported Perl syntax: `(?!`"],
  ["(?<=a)", "invalid named capture: `(?<=a)`"],
  ["(?P<a-b>c)", "invalid named capture: `(?P<a-b>`"],
  ["[z-a]", "invalid character class range: `z-a`"],
  ["[[:odd:]]", "invalid character class range: `[:odd:]`"],
  ["\\p{Odd}", "invalid character class range: `\\p{Odd}`"],
])("regexpFault: %s cannot", (pattern, fault) => {
  expect(regexpFault(pattern)).toBe(`error parsing regexp: ${fault}`);
});

test.each<[pattern: string, matches: string[], others: string[]]>([
  ["^a.c$", ["abc", "a\rc"], ["a\nc", "xabc", "abc\n"]],
  ["(?s)^a.c$", ["a\nc"], []],
  ["(?m)^b$", ["a\nb\nc"], ["ab"]],
  ["(?i)^straße$", ["STRAßE"], ["x"]],
  ["^[[:upper:]]\\d\\s$", ["A1 "], ["a1 ", "A١ ", "A1\u00a0"]],
  ["^[^[:space:]]$", ["a"], [" "]],
  ["\\Aab\\z", ["ab"], ["ab\n"]],
  ["^(?:a|b){2}$", ["ab"], ["a"]],
  ["^\\Qa.b\\E$", ["a.b"], ["axb"]],
  ["^.$", ["😀"], ["ab"]],
])("goRegexp: %s matches what it matches in Go", (pattern, matches, others) => {
  const regexp = goRegexp(pattern);
  expect([...matches, ...others].filter((text) => regexp.test(text))).toEqual(matches);
});

test("goRegexp: what takes others forever takes no time", () => {
  expect(goRegexp("^(a+)+(b|a*)*$").test(`${"a".repeat(5000)}!`)).toBe(false);
});

test.each<[pattern: string, text: string, matches: string[]]>([
  ["a*", "baac", ["", "aa", ""]],
  ["a|ab", "abab", ["a", "a"]],
  ["ab|a", "abab", ["ab", "ab"]],
  ["a+?", "aa", ["a", "a"]],
  ["(?U)a+b?", "aab", ["a", "a"]],
  ["x*y|x", "xxx", ["x", "x", "x"]],
  ["(|a)*", "aa", ["", "", ""]],
  ["(|a)+", "aa", ["", "", ""]],
  ["(a|ab)(c|bcd)", "abcd", ["abcd"]],
  ["a{1,2}", "aaa", ["aa", "a"]],
  ["a{2,}", "aaaa", ["aaaa"]],
  ["^a", "aa", ["a"]],
  ["\\b", "a b", ["", "", "", ""]],
  [".", "é😀", ["é", "😀"]],
  ["", "é😀", ["", "", ""]],
])("goRegexp: the matches of %s in %s are those that Go prefers", (pattern, text, matches) => {
  expect(Array.from(goRegexp(pattern).matches(text), (match) => match.text)).toEqual(matches);
});
