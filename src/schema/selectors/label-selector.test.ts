import { expect, test } from "vitest";
import {
  everything,
  formatLabelSelector,
  labelSelector,
  nothing,
  parseLabelSelector,
  requiredLabelValue,
  selectorFromSet,
} from "./label-selector.ts";

test("parseLabelSelector: is written back in one form, sorted by key", () => {
  const cases = {
    "": "",
    "   ": "",
    "x=a,y=b,z=c": "x=a,y=b,z=c",
    "y = b , x==a": "x==a,y=b",
    "x!=a,y=b": "x!=a,y=b",
    "x=": "x=",
    "x= ,z= ": "x=,z=",
    "x,!y": "x,!y",
    "! y": "!y",
    "x>1": "x>1",
    "x < 5": "x<5",
    "x in (foo,bar)": "x in (bar,foo)",
    "x in()": "x in ()",
    "x notin (a,,b)": "x notin (,a,b)",
    "x in (,a)": "x in (,a)",
    "x in (a,)": "x in (,a)",
    "x in (in,notin)": "x in (in,notin)",
    "in in (in)": "in in (in)",
    "notin=in": "notin=in",
    "a.b/c in (d,d)": "a.b/c in (d)",
  };
  const got = Object.keys(cases).map((text) => [
    text,
    formatLabelSelector(parseLabelSelector(text)),
  ]);
  expect(Object.fromEntries(got)).toEqual(cases);
});

const keyText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

test.each([
  ["=b", "found '=', expected: !, identifier, or 'end of string'"],
  [",", "found ',', expected: !, identifier, or 'end of string'"],
  ["a,", "found '', expected: identifier after ','"],
  ["a,,b", "found ',', expected: identifier after ','"],
  ["a=b c", "found 'c', expected: ',' or 'end of string'"],
  ["a=bad!value", "found '!', expected: ',' or 'end of string'"],
  ["!a=b", "found '=', expected: ',' or 'end of string'"],
  ["!", "unable to parse requirement: found '', expected: identifier"],
  ["!!a", "unable to parse requirement: found '!', expected: identifier"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a===b", "unable to parse requirement: found '=', expected: identifier"],
  ["a in", "unable to parse requirement: found '' expected: '('"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ["a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"],
  [
    "a>x",
    "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  ["-a=b", `unable to parse requirement: <nil>: Invalid value: "-a": name part ${keyText}`],
  ["a=-b", `unable to parse requirement: values[0][a]: Invalid value: "-b": ${valueText}`],
  [
    "a>-b",
    `unable to parse requirement: [values[0]: Invalid value: "-b": for 'Gt', 'Lt' operators, the value must be an integer, values[0][a]: Invalid value: "-b": ${valueText}]`,
  ],
])("parseLabelSelector: %j is refused", (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(new SyntaxError(message));
});

test.each([
  ["", {}, true],
  ["x=y", { x: "y" }, true],
  ["x=y", { x: "z" }, false],
  ["x=y", undefined, false],
  ["x!=y", {}, true],
  ["x!=y", { x: "y" }, false],
  ["x=", { x: "" }, true],
  ["x=", {}, false],
  ["x", { x: "" }, true],
  ["x", {}, false],
  ["!x", {}, true],
  ["!x", undefined, true],
  ["!x", { x: "" }, false],
  ["x in (a,b)", { x: "b" }, true],
  ["x in (a,b)", { x: "c" }, false],
  ["x in ()", { x: "" }, true],
  ["x notin (a,b)", { x: "c" }, true],
  ["x notin (a,b)", {}, true],
  ["x notin (a,b)", { x: "a" }, false],
  ["x>1", { x: "2" }, true],
  ["x>1", { x: "1" }, false],
  ["x>1", { x: "a" }, false],
  ["x>1", {}, false],
  ["x<9223372036854775807", { x: "9223372036854775806" }, true],
  ["x<5", { x: "9223372036854775808" }, false],
  ["x=y,z=w", { x: "y", z: "w" }, true],
  ["x=y,z=w", { x: "y" }, false],
  ["constructor", {}, false],
  ["!constructor", {}, true],
  ["toString notin (a)", {}, true],
])("matches: %s of %j is %s", (text, labels, want) => {
  expect(parseLabelSelector(text).matches(labels)).toBe(want);
});

test("labelSelector: absent takes nothing, empty takes everything", () => {
  const selectors = [labelSelector(undefined), labelSelector(null), labelSelector({})];
  expect(selectors).toEqual([nothing, nothing, everything]);
});

test("labelSelector: labels and expressions must all hold", () => {
  const selector = labelSelector({
    matchLabels: { tier: "web", app: "shop" },
    matchExpressions: [
      { key: "zone", operator: "In", values: ["b", "a"] },
      { key: "old", operator: "DoesNotExist" },
    ],
  });
  expect([
    formatLabelSelector(selector),
    selector.matches({ tier: "web", app: "shop", zone: "a" }),
    selector.matches({ tier: "web", app: "shop", zone: "a", old: "" }),
    requiredLabelValue(selector, "app"),
    requiredLabelValue(selector, "zone"),
  ]).toEqual(["app=shop,!old,tier=web,zone in (a,b)", true, false, "shop", undefined]);
});

test.each([
  [{ key: "a", operator: "Gt", values: ["1"] }, '"Gt" is not a valid label selector operator'],
  [
    { key: "a", operator: "In" },
    "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  ],
  [
    { key: "a", operator: "Exists", values: ["b"] },
    'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
  ],
  [{ key: "-a", operator: "Exists" }, `key: Invalid value: "-a": name part ${keyText}`],
])("labelSelector: %j is refused", (expression, message) => {
  expect(() => labelSelector({ matchExpressions: [expression] })).toThrow(new SyntaxError(message));
});

test("selectorFromSet: takes what has all the labels", () => {
  const selector = selectorFromSet({ b: "2", a: "1" });
  expect([
    formatLabelSelector(selector),
    selector.matches({ a: "1", b: "2", c: "3" }),
    selector.matches({ a: "1" }),
    selectorFromSet(undefined),
  ]).toEqual(["a=1,b=2", true, false, everything]);
});
