import { expect, test } from "vitest";
import type { Expr } from "./ast.ts";
import { listMacros, optionalMacros, standardMacros, twoVariableMacros } from "./macro.ts";
import { parse } from "./parse.ts";

const macros = [...standardMacros(), ...optionalMacros(), ...twoVariableMacros(), ...listMacros()];

/** An expression as a call of functions, `_+_(a, 1)`. */
function shown(expr: Expr): string {
  const inner = (exprs: readonly Expr[]): string => exprs.map(shown).join(", ");
  switch (expr.kind) {
    case "literal":
      return expr.value.type === "string"
        ? JSON.stringify(expr.value.value)
        : `${expr.value.value}`;
    case "ident":
      return expr.name;
    case "select":
      return expr.testOnly
        ? `has(${shown(expr.operand)}.${expr.field})`
        : `${shown(expr.operand)}.${expr.field}`;
    case "call":
      return `${expr.target ? `${shown(expr.target)}.` : ""}${expr.function}(${inner(expr.args)})`;
    case "list":
      return `[${expr.elements.map((each, i) => (expr.optional.includes(i) ? "?" : "") + shown(each)).join(", ")}]`;
    case "map":
      return `{${expr.entries.map(({ key, value, optional }) => `${optional ? "?" : ""}${shown(key)}: ${shown(value)}`).join(", ")}}`;
    case "struct":
      return `${expr.typeName}{${expr.fields.map(({ name, value }) => `${name}: ${shown(value)}`).join(", ")}}`;
    case "comprehension": {
      const names = [expr.variable, expr.variable2].filter((name) => name !== undefined).join(", ");
      const parts = [expr.initial, expr.condition, expr.step, expr.result].map(shown).join("; ");
      return `fold(${shown(expr.range)} as ${names}, ${expr.accumulator} = ${parts})`;
    }
    default:
      return "?";
  }
}

function read(text: string): string {
  const parsed = parse(text, macros);
  return "problems" in parsed ? "wrong" : shown(parsed.expr);
}

test.each<[rule: string, text: string, expr: string]>([
  ["products bind stronger than sums", "a + b * c - d", "_-_(_+_(a, _*_(b, c)), d)"],
  ["sums bind stronger than comparisons", "a + 1 < b - 2", "_<_(_+_(a, 1), _-_(b, 2))"],
  ["comparisons are joined from the left", "a < b == c", "_==_(_<_(a, b), c)"],
  ["in is an operator", "a in [1]", "@in(a, [1])"],
  ["and binds stronger than or", "a || b && c", "_||_(a, _&&_(b, c))"],
  ["chains of and are balanced", "a && b && c && d", "_&&_(_&&_(a, b), _&&_(c, d))"],
  ["chains of or are balanced", "a || b || c", "_||_(_||_(a, b), c)"],
  ["a conditional is joined from the right", "a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"],
  ["two signs cancel each other out", "!!a && --b == 1", "_&&_(a, _==_(b, 1))"],
  ["three do not", "!!!a", "!_(a)"],
  ["a sign before a number is part of it", "-1 - -2.5", "_-_(-1, -2.5)"],
  ["a sign before parentheses is not", "-(1)", "-_(1)"],
  ["parentheses leave no trace", "((a))", "a"],
  ["hexadecimal numbers", "0x1F + 0xAu", "_+_(31, 10)"],
  ["numbers with exponents", "1e3 + .5 + 1.5E-2", "_+_(_+_(1000, 0.5), 0.015)"],
  ["a leading dot names the root", ".a.b(c)", ".a.b(c)"],
  ["calls of functions and methods", "f() + a.g(1, 2)", "_+_(f(), a.g(1, 2))"],
  ["an index", "a.b[0].c", "_[_](a.b, 0).c"],
  ["optional selection", "a.?b[?0]", '_[?_](_?._(a, "b"), 0)'],
  ["optional elements", "[1, ?a, 2,]", "[1, ?a, 2]"],
  ["optional entries", "{'a': 1, ?b: c}", '{"a": 1, ?b: c}'],
  ["messages", "a.B{c: 1, ?d: e}", "a.B{c: 1, d: e}"],
  [
    "escapes in strings",
    String.raw`'\n\x41\u00e4\U0001F600\101\''`,
    JSON.stringify("\nA\u00e4\u{1f600}A'"),
  ],
  ["raw strings", String.raw`r'\n' + R"\"`, String.raw`_+_("\\n", "\\")`],
  ["strings of three quotes", `'''a'\nb''' + """"c"""`, String.raw`_+_("a'\nb", "\"c")`],
  ["bytes", String.raw`b'\xff\101'`, "255,65"],
  ["comments end with the line", "a // b\n+ c", "_+_(a, c)"],
  ["has becomes a test of a field", "has(a.b)", "has(a.b)"],
  [
    "all folds with and",
    "a.all(x, x)",
    "fold(a as x, @result = true; @not_strictly_false(@result); _&&_(@result, x); @result)",
  ],
  [
    "exists folds with or",
    "a.exists(x, x)",
    "fold(a as x, @result = false; @not_strictly_false(!_(@result)); _||_(@result, x); @result)",
  ],
  [
    "exists_one counts",
    "a.exists_one(x, x)",
    "fold(a as x, @result = 0; true; _?_:_(x, _+_(@result, 1), @result); _==_(@result, 1))",
  ],
  [
    "map gathers",
    "a.map(x, f(x))",
    "fold(a as x, @result = []; true; _+_(@result, [f(x)]); @result)",
  ],
  [
    "map with a filter",
    "a.map(x, p, f)",
    "fold(a as x, @result = []; true; _?_:_(p, _+_(@result, [f]), @result); @result)",
  ],
  [
    "filter gathers elements",
    "a.filter(x, p)",
    "fold(a as x, @result = []; true; _?_:_(p, _+_(@result, [x]), @result); @result)",
  ],
  [
    "all with an index",
    "a.all(i, v, v)",
    "fold(a as i, v, @result = true; @not_strictly_false(@result); _&&_(@result, v); @result)",
  ],
  [
    "transformMap keeps keys",
    "a.transformMap(k, v, f)",
    "fold(a as k, v, @result = {}; true; cel.@mapInsert(@result, k, f); @result)",
  ],
  [
    "transformMapEntry with a filter",
    "a.transformMapEntry(k, v, p, f)",
    "fold(a as k, v, @result = {}; true; _?_:_(p, cel.@mapInsert(@result, f), @result); @result)",
  ],
  [
    "optMap computes of what is there",
    "a.optMap(x, f)",
    "_?_:_(a.hasValue(), optional.of(fold([] as #unused, x = a.value(); false; x; f)), optional.none())",
  ],
  [
    "optFlatMap may give nothing",
    "a.optFlatMap(x, f)",
    "_?_:_(a.hasValue(), fold([] as #unused, x = a.value(); false; x; f), optional.none())",
  ],
  [
    "sortBy sorts by what it computes",
    "a.sortBy(x, f)",
    "fold([] as #unused, @__sortBy_input__ = a; false; @__sortBy_input__; @__sortBy_input__.@sortByAssociatedKeys(fold(@__sortBy_input__ as x, @result = []; true; _+_(@result, [f]); @result)))",
  ],
  ["a call with another number of arguments is no macro", "a.all(x)", "a.all(x)"],
])("parse: %s", (_, text, expr) => {
  expect(read(text)).toBe(expr);
});
