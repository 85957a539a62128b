import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { jsonDiff } from "./json-diff.ts";
import { applyJsonPatch, type JsonPatchOperation } from "./json-patch.ts";

each<[what: string, before: unknown, after: unknown, operations: readonly JsonPatchOperation[]]>([
  ["nothing", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  [
    "members that are added, changed and removed",
    { a: 1, b: { c: 1 }, d: null },
    { a: 2, b: { c: 1, e: [] } },
    [
      { op: "replace", path: "/a", value: 2 },
      { op: "add", path: "/b/e", value: [] },
      { op: "remove", path: "/d" },
    ],
  ],
  [
    "names that pointers escape",
    { "a/b": 1, "c~d": 1 },
    { "a/b": 2, "c~d": 2, "": 1 },
    [
      { op: "replace", path: "/a~1b", value: 2 },
      { op: "replace", path: "/c~0d", value: 2 },
      { op: "add", path: "/", value: 1 },
    ],
  ],
  [
    "a list that grows",
    [1, 2],
    [1, 3, 4, 5],
    [
      { op: "replace", path: "/1", value: 3 },
      { op: "add", path: "/-", value: 4 },
      { op: "add", path: "/-", value: 5 },
    ],
  ],
  [
    "a list that shrinks",
    { a: [1, 2, 3, 4] },
    { a: [4] },
    [
      { op: "replace", path: "/a/0", value: 4 },
      { op: "remove", path: "/a/3" },
      { op: "remove", path: "/a/2" },
      { op: "remove", path: "/a/1" },
    ],
  ],
  [
    "another type",
    { a: [1], b: "1" },
    { a: { 0: 1 }, b: 1 },
    [
      { op: "replace", path: "/a", value: { 0: 1 } },
      { op: "replace", path: "/b", value: 1 },
    ],
  ],
  ["members that are undefined", { a: undefined, b: 1 }, { b: 1, c: undefined }, []],
  ["integers beyond 2^53", { a: 2n ** 60n }, { a: 2n ** 60n }, []],
])("jsonDiff: %s", (_, before, after, operations) => {
  expect(jsonDiff(before, after)).toEqual(operations);
  expect(applyJsonPatch(before, operations)).toEqual(after);
});
