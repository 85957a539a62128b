import { expect, test } from "vitest";
import { escapeName, unescapeName } from "./escape.ts";

test("escapeName: writes names that expressions cannot, and refuses the rest", () => {
  const cases = {
    a: "a",
    a_b: "a_b",
    _: "_",
    __a__b: "__underscores__a__underscores__b",
    "a.b": "a__dot__b",
    "a-b": "a__dash__b",
    "a/b": "a__slash__b",
    "a.b/c-d": "a__dot__b__slash__c__dash__d",
    namespace: "__namespace__",
    in: "__in__",
    true: "__true__",
    self: "self",
    int: "int",
    "": undefined,
    "1a": undefined,
    "a b": undefined,
    $ref: undefined,
    ä: undefined,
  };
  const found = Object.keys(cases).map((name) => [name, escapeName(name)]);
  expect(Object.fromEntries(found)).toEqual(cases);
});

test("unescapeName: undoes what escapeName did, and refuses escapes that are none", () => {
  for (const name of ["a", "a_b", "__a__b", "a.b/c-d", "namespace", "in"])
    expect(unescapeName(escapeName(name) ?? "")).toBe(name);
  expect(["a__nothing__", "a__namespace__", "__x__"].map(unescapeName)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
