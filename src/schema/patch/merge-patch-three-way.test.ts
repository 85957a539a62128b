import { expect, test } from "vitest";
import { keyUnchanged } from "./merge-patch-errors.ts";
import { createThreeWayJsonMergePatch } from "./merge-patch-three-way.ts";

type Json = Record<string, unknown>;

test.each<[string, Json, Json, Json, Json]>([
  ["nothing", { a: 1 }, { a: 1 }, { a: 1, b: 2 }, {}],
  ["changes and additions", { a: 1 }, { a: 2, c: { d: 1 } }, { a: 1, b: 2 }, { a: 2, c: { d: 1 } }],
  [
    "what was asked for and no longer is",
    { a: 1, b: { c: 1, d: 2 } },
    { b: { c: 1 } },
    { a: 1, b: { c: 1, d: 2, e: 3 } },
    { a: null, b: { d: null } },
  ],
  ["what is gone already is deleted all the same", { a: 1 }, {}, {}, { a: null }],
  ["lists are replaced", { a: [1] }, { a: [1, 2] }, { a: [1, 3] }, { a: [1, 2] }],
  ["a map that is empty is a value", {}, { a: {} }, {}, { a: {} }],
  [
    "a map that becomes empty is no change",
    { a: { b: 1 } },
    { a: {} },
    { a: { b: 1 } },
    { a: { b: null } },
  ],
])("createThreeWayJsonMergePatch: %s", (_, original, modified, current, wanted) => {
  expect(createThreeWayJsonMergePatch({ original, modified, current })).toEqual(wanted);
});

test("createThreeWayJsonMergePatch: what is gone from a map is deleted, whatever there is now", () => {
  const documents = { original: { a: { b: 1 } }, modified: { a: { c: [1] } }, current: { a: 5 } };
  expect(createThreeWayJsonMergePatch(documents)).toEqual({ a: { b: null, c: [1] } });
  const other = { original: { a: { b: { x: 1 } } }, modified: { a: { b: {} } }, current: {} };
  expect(createThreeWayJsonMergePatch(other)).toEqual({ a: { b: { x: null } } });
});

test("createThreeWayJsonMergePatch: a patch must meet its preconditions", () => {
  const documents = { original: {}, modified: { kind: "b" }, current: { kind: "a" } };
  expect(() => createThreeWayJsonMergePatch(documents, [keyUnchanged("kind")])).toThrow(
    "precondition failed for: map[kind:b]",
  );
});
