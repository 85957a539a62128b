import { expect, test } from "vitest";
import { showProblems } from "./problem.ts";
import { createSource, locate, noLocation } from "./source.ts";

const show = (text: string, ...offsets: readonly number[]): string => {
  const source = createSource(text);
  const problems = offsets.map((offset) => ({ location: locate(source, offset), message: "no" }));
  return showProblems(source, problems);
};

test("showProblems: marks the place below the line", () => {
  expect(show("a b", 2)).toBe("ERROR: <input>:1:3: no\n | a b\n | ..^");
});

test("showProblems: shows only the line that is meant", () => {
  expect(show("a\nbc\nd", 3)).toBe("ERROR: <input>:2:2: no\n | bc\n | .^");
});

test("showProblems: the end of the text is after its last character", () => {
  expect(show("ab", 2)).toBe("ERROR: <input>:1:3: no\n | ab\n | ..^");
});

test("showProblems: an empty text has no line to show", () => {
  expect(show("", 0)).toBe("ERROR: <input>:1:0: no");
});

test("showProblems: what has no place has no line", () => {
  const problems = [{ location: noLocation, message: "no" }];
  expect(showProblems(createSource("a"), problems)).toBe("ERROR: <input>:-1:0: no");
});

test("showProblems: wide characters have wide dots, and a wide mark", () => {
  expect(show("aäb", 2)).toBe("ERROR: <input>:1:3: no\n | aäb\n | .\uff0e^");
  expect(show("a\u{1f600}", 1)).toBe("ERROR: <input>:1:2: no\n | a\u{1f600}\n | .\uff3e");
});

test("showProblems: tabs are shown as spaces", () => {
  expect(show("\ta", 1)).toBe("ERROR: <input>:1:2: no\n |  a\n | .^");
});

test("showProblems: sorts by place, and keeps the order at one place", () => {
  const source = createSource("a\nb");
  const at = (offset: number, message: string) => ({ location: locate(source, offset), message });
  const problems = [at(2, "third"), at(0, "first"), at(0, "second")];
  const messages = showProblems(source, problems).match(/first|second|third/g);
  expect(messages).toEqual(["first", "second", "third"]);
});

test("showProblems: a very long line is not shown", () => {
  expect(show("a".repeat(16385), 0)).toBe("ERROR: <input>:1:1: no");
  expect(show("a".repeat(16384), 0)).toContain("\n | aaa");
});

test("showProblems: after a hundred only their number is told", () => {
  const lines = show("a", ...Array.from({ length: 103 }, () => 0)).split("\n");
  expect(lines).toHaveLength(301);
  expect(lines.at(-1)).toBe("3 more errors were truncated");
});
