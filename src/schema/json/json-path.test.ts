import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { parseJsonPath } from "./json-path.ts";

const value = {
  spec: { a: 1, "b.c": 2, list: [10, 20, 30, 40], empty: null },
  status: {
    conditions: [
      { type: "Ready", status: "True", at: 3 },
      { type: "Odd)", status: "False", at: 7 },
      { type: "Bare" },
    ],
  },
};

each<[path: string, found: unknown[]]>([
  [".spec.a", [1]],
  ["$.spec.a", [1]],
  [".spec.b\\.c", [2]],
  [".spec['b\\.c']", [2]],
  [".spec.none.deeper", []],
  [".spec.empty", [null]],
  [".spec.empty.deeper", []],
  [".spec.list[1]", [20]],
  [".spec.list[-1]", [40]],
  [".spec.list[1:3]", [20, 30]],
  [".spec.list[:-1]", [10, 20, 30]],
  [".spec.list[::2]", [10, 30]],
  [".spec.list[*]", [10, 20, 30, 40]],
  [".spec.list[0,3]", [10, 40]],
  ["..at", [3, 7]],
  [".status.conditions[*].type", ["Ready", "Odd)", "Bare"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type == 'Odd)')].status", ["False"]],
  ['.status.conditions[?(@.type!="Ready")].type', ["Odd)", "Bare"]],
  [".status.conditions[?(@.at>3)].type", ["Odd)"]],
  [".status.conditions[?(@.at<=3)].type", ["Ready"]],
  [".status.conditions[?(@.at)].type", ["Ready", "Odd)"]],
  [".spec.*", [1, 2, [10, 20, 30, 40], null]],
])("parseJsonPath: %s", (path, found) => {
  expect(parseJsonPath(path)(value)).toEqual(found);
});

each<[path: string, why: RegExp]>([
  [".a[", /unterminated array/],
  [".a[x]", /invalid array index x/],
  [".a[?(@.b", /unterminated filter/],
  [".a[?(@.b)", /unclosed array/],
  [".a....b", /invalid multiple recursive descent/],
  [".a #", /unrecognized character/],
  ["range", /unrecognized identifier range/],
  ['"a', /unterminated quoted string/],
])("parseJsonPath: %s is no path", (path, why) => {
  expect(() => parseJsonPath(path)).toThrow(why);
});

each<[path: string, why: RegExp]>([
  [".spec[0]", /not an array/],
  [".spec.list[9]", /out of bounds: index 9, length 4/],
  [".spec.a[?(@.b==1)]", /cannot be filtered/],
  ['.status.conditions[?(@.at=="3")]', /incompatible types/],
])("parseJsonPath: %s does not fit", (path, why) => {
  expect(() => parseJsonPath(path)(value)).toThrow(why);
});
