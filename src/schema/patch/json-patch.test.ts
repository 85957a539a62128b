import { expect, test } from "vitest";
import {
  applyJsonPatch,
  decodeJsonPatch,
  JsonPatchError,
  type JsonPatchOperation,
} from "./json-patch.ts";

const pod = { kind: "Pod", labels: { a: "1", "x/y": "2" }, list: [1, { n: 2 }, 3], none: null };

test.each<[JsonPatchOperation[], unknown]>([
  [[], pod],
  [
    [{ op: "add", path: "/labels/b", value: "3" }],
    { ...pod, labels: { a: "1", "x/y": "2", b: "3" } },
  ],
  [[{ op: "add", path: "/list/-", value: 4 }], { ...pod, list: [1, { n: 2 }, 3, 4] }],
  [[{ op: "add", path: "/list/0", value: 0 }], { ...pod, list: [0, 1, { n: 2 }, 3] }],
  [[{ op: "add", path: "/list/3", value: 4 }], { ...pod, list: [1, { n: 2 }, 3, 4] }],
  [[{ op: "add", path: "/list/-1", value: 4 }], { ...pod, list: [1, { n: 2 }, 3, 4] }],
  [[{ op: "add", path: "/new" }], { ...pod, new: null }],
  [[{ op: "remove", path: "/labels/x~1y" }], { ...pod, labels: { a: "1" } }],
  [[{ op: "remove", path: "/list/-1" }], { ...pod, list: [1, { n: 2 }] }],
  [[{ op: "replace", path: "/list/1/n", value: 5 }], { ...pod, list: [1, { n: 5 }, 3] }],
  [[{ op: "replace", path: "/absent", value: 5 }], { ...pod, absent: 5 }],
  [[{ op: "replace", path: "", value: { a: 1 } }], { a: 1 }],
  [[{ op: "move", from: "/list/0", path: "/list/2" }], { ...pod, list: [{ n: 2 }, 3, 1] }],
  [
    [
      { op: "copy", from: "/list/1", path: "/list/-" },
      { op: "replace", path: "/list/1/n", value: 7 },
    ],
    { ...pod, list: [1, { n: 7 }, 3, { n: 2 }] },
  ],
  [
    [
      { op: "replace", path: "/list/1/n", value: 6 },
      { op: "copy", from: "/list/1", path: "/labels" },
      { op: "replace", path: "/labels/n", value: 7 },
    ],
    { ...pod, labels: { n: 7 }, list: [1, { n: 6 }, 3] },
  ],
  [[{ op: "test", path: "/list/1", value: { n: 2 } }], pod],
  [[{ op: "test", path: "/none", value: null }], pod],
  [[{ op: "test", path: "/absent", value: null }], pod],
  [[{ op: "test", path: "", value: structuredClone(pod) }], pod],
])("applyJsonPatch: %j", (patch, want) => {
  const before = structuredClone([pod, patch]);
  const got = applyJsonPatch(pod, patch);
  expect([got, [pod, patch]]).toEqual([want, before]);
});

test.each<[JsonPatchOperation, string]>([
  [{ op: "explode", path: "/a" }, "Unexpected kind: explode"],
  [{ path: "/a" }, "Unexpected kind: unknown"],
  [
    { op: "remove" },
    "remove operation failed to decode path: operation missing path field: missing value",
  ],
  [
    { op: "replace", path: 5 },
    "replace operation failed to decode path: json: cannot unmarshal number into Go value of type string",
  ],
  [
    { op: "add", path: "/gone/x", value: 1 },
    'add operation does not apply: doc is missing path: "/gone/x": missing value',
  ],
  [
    { op: "add", path: "", value: 1 },
    'add operation does not apply: doc is missing path: "": missing value',
  ],
  [
    { op: "add", path: "/none/x", value: 1 },
    'add operation does not apply: doc is missing path: "/none/x": missing value',
  ],
  [
    { op: "add", path: "/kind/x", value: 1 },
    'add operation does not apply: doc is missing path: "/kind/x": missing value',
  ],
  [
    { op: "add", path: "/list/9", value: 1 },
    "error in add for path: '/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: "add", path: "/list/x", value: 1 },
    "error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
  ],
  [
    { op: "remove", path: "/labels/z" },
    "error in remove for path: '/labels/z': Unable to remove nonexistent key: z: missing value",
  ],
  [
    { op: "remove", path: "/list/-4" },
    "error in remove for path: '/list/-4': Unable to access invalid index: -4: invalid index referenced",
  ],
  [
    { op: "replace", path: "/list/9", value: 1 },
    "replace operation does not apply: doc is missing key: /list/9: missing value",
  ],
  [
    { op: "move", from: "/labels/z", path: "/a" },
    "error in move for path: 'z': Unable to remove nonexistent key: z: missing value",
  ],
  [
    { op: "copy", from: "/gone/z", path: "/a" },
    "copy operation does not apply: doc is missing from path: /gone/z: missing value",
  ],
  [{ op: "test", path: "/kind", value: "Node" }, "testing value /kind failed: test failed"],
  [{ op: "test", path: "/list", value: [1] }, "testing value /list failed: test failed"],
  [
    { op: "test", path: "/gone/x", value: 1 },
    "test operation does not apply: is missing path: /gone/x: missing value",
  ],
])("applyJsonPatch: %j does not apply", (operation, message) => {
  expect(() => applyJsonPatch(pod, [operation])).toThrow(new JsonPatchError(message));
});

test("applyJsonPatch: copies may grow a document only so far", () => {
  const double = { op: "copy", from: "/a", path: "/a/-" };
  const message =
    "Unable to complete the copy, the accumulated size increase of copy is 34, exceeding the limit 20";
  expect(() => applyJsonPatch({ a: ["0123456"] }, [double, double], { maxCopyBytes: 20 })).toThrow(
    new JsonPatchError(message),
  );
});

test("applyJsonPatch: __proto__ is a name like any other", () => {
  const value = JSON.parse('{"__proto__":{"a":1}}');
  const patched = applyJsonPatch(value, [
    { op: "add", path: "/__proto__/b", value: 2 },
    { op: "copy", from: "/__proto__", path: "/c" },
    { op: "add", path: "/c/__proto__", value: 3 },
  ]);
  expect(JSON.stringify(patched)).toBe(
    '{"__proto__":{"a":1,"b":2},"c":{"a":1,"b":2,"__proto__":3}}',
  );
  expect(() => applyJsonPatch({}, [{ op: "add", path: "/__proto__/x", value: 1 }])).toThrow(
    JsonPatchError,
  );
});

test.each([
  [{}, false, "json: cannot unmarshal object into Go value of type jsonpatch.Patch"],
  [["x"], false, "json: cannot unmarshal string into Go value of type jsonpatch.Operation"],
  [5, true, "json: cannot unmarshal number into Go value of type []handlers.jsonPatchOp"],
  [[true], true, "json: cannot unmarshal bool into Go value of type handlers.jsonPatchOp"],
  [
    [{ op: 5 }],
    true,
    "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
  ],
])("decodeJsonPatch: %j is refused", (body, strict, message) => {
  expect(() => decodeJsonPatch(body, { strict })).toThrow(new SyntaxError(message));
});

test("decodeJsonPatch: null is a patch without operations", () => {
  expect(decodeJsonPatch(null)).toEqual([]);
});
