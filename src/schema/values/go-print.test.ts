import { expect, test } from "vitest";
import { goString, goText, goType } from "./go-print.ts";

test.each<[unknown, string, string]>([
  ["a b", "a b", "a b"],
  [1, "1", "%!s(int64=1)"],
  [-1.5, "-1.5", "%!s(float64=-1.5)"],
  [1e21, "1e+21", "%!s(float64=1e+21)"],
  [123456789012345680000, "1.2345678901234568e+20", "%!s(float64=1.2345678901234568e+20)"],
  [0.0001, "0.0001", "%!s(float64=0.0001)"],
  [0.00001, "1e-05", "%!s(float64=1e-05)"],
  [1.5e-10, "1.5e-10", "%!s(float64=1.5e-10)"],
  [9007199254740993n, "9007199254740993", "%!s(int64=9007199254740993)"],
  [true, "true", "%!s(bool=true)"],
  [null, "<nil>", "%!s(<nil>)"],
  [[], "[]", "[]"],
  [["a", null, [1]], "[a <nil> [1]]", "[a <nil> [%!s(int64=1)]]"],
  [{ b: "", a: { c: false } }, "map[a:map[c:false] b:]", "map[a:map[c:%!s(bool=false)] b:]"],
])("goString and goText: %o", (value, v, s) => {
  expect([goString(value), goText(value)]).toEqual([v, s]);
});

test("goType: what holds a value of JSON", () => {
  expect(["", 1, 1.5, 1e300, 1n, true, null, [], {}].map(goType)).toEqual([
    "string",
    "int64",
    "float64",
    "float64",
    "int64",
    "bool",
    "<nil>",
    "[]interface {}",
    "map[string]interface {}",
  ]);
});
