import { expect, test } from "vitest";
import { applyMergePatch, createMergePatch } from "./merge-patch.ts";

test.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{ a: null }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: 1 }, { a: [null, { b: null }] }, { a: [null, {}] }],
  [{ a: {} }, { a: [null, { b: null }] }, { a: [null, { b: null }] }],
  [{ a: {} }, { a: 5 }, { a: 5 }],
  [{ a: "b" }, ["c"], ["c"]],
  [["a"], { b: null, c: 1 }, { c: 1 }],
])("applyMergePatch: %j with %j", (document, patch, want) => {
  const before = structuredClone([document, patch]);
  const got = applyMergePatch(document, patch);
  expect([got, [document, patch]]).toEqual([want, before]);
});

test("applyMergePatch: a patch must be an object or an array", () => {
  for (const patch of [null, 5, "x", true]) {
    expect(() => applyMergePatch({}, patch)).toThrow(new SyntaxError("Invalid JSON Patch"));
  }
});

test("applyMergePatch: __proto__ is a name like any other", () => {
  const patch = JSON.parse('{"a":{"__proto__":{"b":1}},"__proto__":{"c":null,"d":2}}');
  const got = applyMergePatch({ a: {} }, patch);
  expect(JSON.stringify(got)).toBe('{"a":{"__proto__":{"b":1}},"__proto__":{"d":2}}');
});

test.each([
  [{ a: 1 }, { a: 1 }, {}],
  [{ a: 1 }, { a: 2 }, { a: 2 }],
  [{ a: 1, b: 2 }, { b: 2 }, { a: null }],
  [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, {}],
  [{ a: [1] }, { a: [1, 2] }, { a: [1, 2] }],
  [{ a: {} }, { a: "x" }, { a: "x" }],
])("createMergePatch: from %j to %j", (original, modified, want) => {
  expect(createMergePatch(original, modified)).toEqual(want);
});
