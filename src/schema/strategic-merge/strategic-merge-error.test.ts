import { describe, expect, test } from "vitest";
import { applyStrategicMergePatch } from "./apply-strategic-merge-patch.ts";
import { gadget } from "./gadget.test-support.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

const named = (...names: string[]) => names.map((name) => ({ name }));

describe("applyStrategicMergePatch: what is refused", () => {
  const parts = named("a");
  test.each<[object, object, string, string?]>([
    [
      { parts },
      { parts: [{ size: 1, args: ["x", null], labels: { b: "1", a: "" } }] },
      "map: map[args:[x <nil>] labels:map[a: b:1] size:1] does not contain declared merge key: name",
    ],
    [
      { parts },
      { parts: [{ $patch: "delete", size: 1.5 }] },
      "map: map[$patch:delete size:1.5] does not contain declared merge key: name",
    ],
    [
      { parts },
      { parts: [{ name: "a", $patch: "explode" }] },
      "unknown patch type: explode in map: map[$patch:explode name:a]",
    ],
    [
      { parts },
      { parts: [{ name: "a", $patch: true }] },
      "unknown patch type: %!s(bool=true) in map: map[$patch:true name:a]",
    ],
    [
      { parts },
      { parts: [{ name: "a", $patch: "merge" }] },
      "merging lists cannot yet be specified in the patch",
    ],
    [
      { labels: {} },
      { labels: { $patch: 5 } },
      "unknown patch type: %!s(int64=5) in map: map[$patch:5]",
    ],
    [
      { labels: {} },
      { labels: { $patch: null } },
      "unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]",
    ],
    [
      { labels: {} },
      { labels: { $patch: { a: [1] } } },
      "unknown patch type: map[a:[%!s(int64=1)]] in map: map[$patch:map[a:[1]]]",
    ],
    [{ parts }, { parts: ["a"] }, "list element types are not identical: [[map[name:a]] [a]]"],
    [{ words: ["a"] }, { words: ["b", 1] }, "list element types are not identical: [[a] [b 1]]"],
    [{ words: ["a"] }, { words: [null] }, "list element types are not identical: [[a] [<nil>]]"],
    [
      { words: [] },
      { words: [null] },
      "runtime error: invalid memory address or nil pointer dereference",
    ],
    [{ grid: [["a"]] }, { grid: [["b"]] }, "unexpected slice of slice"],
    [{ words: [["a"]] }, { words: [["b"]] }, "lists of lists are not supported", "content"],
    [
      { holes: [{ port: 1 }] },
      { "$deleteFromPrimitiveList/holes": [{ port: 1 }] },
      "cannot merge lists without merge key for struct",
    ],
    [
      { extra: { a: ["b"] } },
      { extra: { a: ["c"] } },
      "merging an object in json but data type is not struct, instead is: map",
    ],
    [
      { free: { a: { b: 1 } } },
      { free: { a: { b: 2 } } },
      'unable to find api field in struct RawExtension for the json field "a"',
    ],
    [
      { bogus: {} },
      { bogus: {} },
      'unable to find api field in struct GadgetSpec for the json field "bogus"',
    ],
    [{ free: [1] }, { free: [2] }, "expected slice or array type, but got: struct"],
    [
      { words: ["a"] },
      { $deleteFromPrimitiveList: ["a"] },
      "invalid patch format of primitive list",
      "format",
    ],
    [
      { words: ["a"] },
      { "$setElementOrder.words": ["a"] },
      "invalid patch format of setElementOrder list",
      "format",
    ],
    [
      { words: ["a"] },
      { "$setElementOrder/words": "a" },
      "expected a []interface {}, but received a string",
    ],
    [
      { words: "a" },
      { "$setElementOrder/words": ["a"] },
      "expected a []interface {}, but received a string",
    ],
    [
      { words: null },
      { "$setElementOrder/words": ["a"] },
      "expected a []interface {}, but received a %!s(<nil>)",
    ],
    [
      { words: ["a"] },
      { "$setElementOrder/words": ["a"], words: null },
      "expected a []interface {}, but received a %!s(<nil>)",
    ],
    [{}, { "$setElementOrder/text": ["a"] }, "expected slice or array type, but got: struct"],
    [
      { pointer: {} },
      { pointer: { "$setElementOrder/file": ["a"] } },
      "expected slice or array type, but got: ptr",
    ],
    [{}, { "$setElementOrder/words": ["a"], words: [] }, "no elements in any of the given slices"],
    [
      { parts },
      { "$setElementOrder/parts": named("a"), parts: named("a", "b") },
      "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    ],
    [
      { words: ["a"] },
      { "$setElementOrder/words": ["b", "a"], words: ["a", "b"] },
      "The order in patch list:\n[a b]\n doesn't match $setElementOrder list:\n[b a]\n",
    ],
    [
      { parts },
      { "$setElementOrder/parts": [{ size: 1 }] },
      "map: map[size:1] does not contain declared merge key: name",
    ],
    [{ parts }, { "$setElementOrder/parts": ["b"] }, "value for key 0 is not a map"],
    [
      { parts },
      { "$setElementOrder/parts": ["a"], parts: named("a") },
      "expected a map[string]interface {}, but received a string",
    ],
    [
      { holes: [{ port: 1 }] },
      { "$setElementOrder/holes": [{ port: 1 }] },
      "runtime error: hash of unhashable type map[string]interface {}",
    ],
    [
      { parts: [{ name: {} }] },
      { parts: [{ name: {} }] },
      "runtime error: comparing uncomparable type map[string]interface {}",
    ],
    [
      { source: {} },
      { source: { $retainKeys: "url", url: "u" } },
      "invalid patch format of retainKeys",
      "format",
    ],
    [
      { source: {} },
      { source: { $retainKeys: ["file"], url: "u" } },
      "invalid patch format of retainKeys",
      "format",
    ],
  ])("%j patched with %j", (spec, patch, message, blame = "other") => {
    let error: unknown;
    try {
      applyStrategicMergePatch(gadget, { spec }, { spec: patch });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(StrategicMergeError);
    expect(error).toMatchObject({ message, blame });
  });
});
