import { expect, test } from "vitest";
import { dynType } from "./checking/cel-type.ts";
import { baseEnvironment, extendEnvironment } from "./checking/environment.ts";
import { compile } from "./compile.ts";
import { estimateCost } from "./cost/cost.ts";
import { planFault } from "./plan-fault.ts";

const environment = extendEnvironment(baseEnvironment(), { variables: { a: dynType } });
const nest = (open: string, close: string, { depth = 240, inner = "a" } = {}): string =>
  open.repeat(depth) + inner + close.repeat(depth);

/** Runs something as deep in the stack as a server might. */
function deep<T>(depth: number, run: () => T): T {
  return depth === 0 ? run() : deep(depth - 1, run);
}

test.each([
  ["parentheses", nest("(", ")")],
  ["lists", nest("[", "]")],
  ["maps", nest("{1: ", "}")],
  ["indexes", nest("a[", "]")],
  ["methods", `a${".trim()".repeat(240)}`],
  ["sums", `a${" + a".repeat(240)}`],
  ["conditionals", nest("a ? 1 : ", "", { inner: "1" })],
  ["quantifiers", nest("a.all(x, ", ")", { inner: "true" })],
  ["chained folds", `a${".map(x, x)".repeat(240)}`],
  ["optionals in optionals", nest("optional.of(1).optMap(x, ", ")", { depth: 120 })],
  ["optionals of optionals", `optional.of(1)${".optMap(x, x)".repeat(8)}`],
])("compile: deep %s take neither too much stack nor too much time", (_, text) => {
  const compiled = deep(300, () => compile(environment, text));
  if ("error" in compiled) throw new Error(compiled.error);
  expect(deep(300, () => planFault(compiled))).toBe(undefined);
  expect(deep(300, () => estimateCost(compiled, { sizeOf: () => undefined }).min)).toBeGreaterThan(
    0,
  );
});

test("compile: macros that multiply without end are given up", () => {
  const compiled = compile(environment, `a${".optMap(x, x)".repeat(40)}`);
  expect(compiled).toEqual({ error: "ERROR: <input>:-1:0: max recursion depth exceeded" });
});

test("compile: problems of syntax are told before those of types, and those before constants", () => {
  const errors = ["a.b( + nope + duration('x')", "nope + duration('x')", "duration('x')"].map(
    (text) => {
      const compiled = compile(environment, text);
      return "error" in compiled
        ? compiled.error.match(/Syntax error|undeclared|invalid duration/g)
        : [];
    },
  );
  expect(errors).toEqual([["Syntax error", "Syntax error"], ["undeclared"], ["invalid duration"]]);
});
