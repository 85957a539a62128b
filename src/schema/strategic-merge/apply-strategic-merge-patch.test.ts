import { describe, expect, test } from "vitest";
import { applyStrategicMergePatch } from "./apply-strategic-merge-patch.ts";
import { gadget } from "./gadget.test-support.ts";

const frozen = <T>(value: T): T => {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
};

/** Applies a patch to the spec of a gadget. */
function patched(spec: object, patch: object): unknown {
  const document = frozen({ spec });
  return applyStrategicMergePatch(gadget, document, frozen({ spec: patch })).spec;
}

describe("applyStrategicMergePatch: members of maps", () => {
  test.each<[string, object, object, object]>([
    ["others stay", { text: "a", on: true }, { text: "b" }, { text: "b", on: true }],
    ["null deletes, also what is not there", { text: "a" }, { text: null, on: null }, {}],
    [
      "maps are merged",
      { labels: { a: "1", b: "2" } },
      { labels: { b: null, c: "3" } },
      { labels: { a: "1", c: "3" } },
    ],
    [
      "a map that is new comes without its nulls",
      {},
      { labels: { a: null, b: "1" } },
      { labels: { b: "1" } },
    ],
    [
      "a value of another type replaces",
      { text: "a" },
      { text: { a: null, b: 1 } },
      { text: { b: 1 } },
    ],
    [
      "a map says that it replaces",
      { labels: { a: "1" } },
      { labels: { $patch: "replace", b: "2" } },
      { labels: { b: "2" } },
    ],
    [
      "a map says that it deletes",
      { labels: { a: "1" } },
      { labels: { $patch: "delete" } },
      { labels: {} },
    ],
    [
      "directives in what is new are dropped with their map",
      {},
      { labels: { $patch: "replace", b: "2" } },
      {},
    ],
    [
      "a directive in what is new leaves the rest",
      {},
      { parts: [{ name: "a", $patch: "delete" }, { name: "b" }] },
      { parts: [{ name: "b" }] },
    ],
    [
      "a map that is declared to be replaced is",
      { whole: { file: "f" } },
      { whole: { url: "u", mode: null } },
      { whole: { url: "u", mode: null } },
    ],
    [
      "scalars in what has no fields are merged",
      { free: { a: 1, b: 2 } },
      { free: { b: null, c: 3 } },
      { free: { a: 1, c: 3 } },
    ],
    [
      "any name will do",
      JSON.parse('{"labels":{"__proto__":"1","a":"1"}}'),
      JSON.parse('{"labels":{"__proto__":"2","constructor":"3"}}'),
      JSON.parse('{"labels":{"__proto__":"2","a":"1","constructor":"3"}}'),
    ],
    [
      "any name can be deleted",
      JSON.parse('{"labels":{"__proto__":"1"}}'),
      JSON.parse('{"labels":{"__proto__":null}}'),
      { labels: {} },
    ],
  ])("%s", (_, spec, patch, wanted) => {
    expect(JSON.stringify(patched(spec, patch))).toBe(JSON.stringify(wanted));
  });

  test("what the patch does not touch is shared", () => {
    const document = {
      spec: { labels: { a: "1" }, parts: [{ name: "a", labels: { b: "1" } }] },
      words: ["a"],
    };
    const after = applyStrategicMergePatch(gadget, document, {
      spec: { parts: [{ name: "a", size: 1 }] },
    });
    const spec = after.spec as typeof document.spec;
    expect(after.words).toBe(document.words);
    expect(spec.labels).toBe(document.spec.labels);
    expect(spec.parts[0]?.labels).toBe(document.spec.parts[0]?.labels);
  });
});

const named = (...names: string[]) => names.map((name) => ({ name }));

describe("applyStrategicMergePatch: lists", () => {
  test.each<[string, object, object, object]>([
    [
      "lists without strategy are replaced",
      { lines: ["a"] },
      { lines: ["b", "b"] },
      { lines: ["b", "b"] },
    ],
    [
      "items are merged by their key, where they stand",
      { parts: [{ name: "a", size: 1 }, { name: "b" }] },
      { parts: [{ name: "b", size: 2 }] },
      {
        parts: [
          { name: "a", size: 1 },
          { name: "b", size: 2 },
        ],
      },
    ],
    [
      "new items come before those that the patch does not name",
      { parts: named("a", "b") },
      { parts: named("c") },
      { parts: named("c", "a", "b") },
    ],
    [
      "items that the patch names are in its order",
      { parts: named("a", "b", "c") },
      { parts: named("c", "a") },
      { parts: named("b", "c", "a") },
    ],
    [
      "an item is deleted by its key",
      { parts: named("a", "b") },
      { parts: [{ name: "a", $patch: "delete" }] },
      { parts: named("b") },
    ],
    [
      "all items with a key are deleted",
      { parts: [{ name: "a", holes: [{ port: 1, protocol: "x" }, { port: 2 }, { port: 1 }] }] },
      { parts: [{ name: "a", holes: [{ port: 1, $patch: "delete" }] }] },
      { parts: [{ name: "a", holes: [{ port: 2 }] }] },
    ],
    [
      "an item says that the list is replaced",
      { parts: named("a", "b") },
      { parts: [{ name: "c", size: 1 }, { $patch: "replace" }] },
      { parts: [{ name: "c", size: 1 }] },
    ],
    [
      "with nothing else, the list is emptied",
      { parts: named("a", "b") },
      { parts: [{ name: "a", $patch: "replace" }] },
      { parts: [] },
    ],
    [
      "nulls of new items stay, of others they delete",
      { parts: [{ name: "a", size: 1 }] },
      {
        parts: [
          { name: "a", size: null },
          { name: "b", size: null },
        ],
      },
      { parts: [{ name: "a" }, { name: "b", size: null }] },
    ],
    [
      "two changes of one new item are merged",
      { parts: named("a") },
      {
        parts: [
          { name: "b", size: 1 },
          { name: "b", args: ["x"] },
        ],
      },
      { parts: [{ name: "b", size: 1, args: ["x"] }, { name: "a" }] },
    ],
    [
      "scalars are merged as a set",
      { words: ["a", "b"] },
      { words: ["c", "a"] },
      { words: ["c", "a", "b"] },
    ],
    [
      "scalars are deleted by a list beside",
      { words: ["a", "b", "c"] },
      { "$deleteFromPrimitiveList/words": ["a", "x"] },
      { words: ["b", "c"] },
    ],
    [
      "also where the list itself is replaced",
      { lines: ["a", "b", "a"] },
      { "$deleteFromPrimitiveList/lines": ["a"] },
      { lines: ["b"] },
    ],
    [
      "nothing is deleted from what is not there",
      {},
      { "$deleteFromPrimitiveList/words": ["a"] },
      {},
    ],
    [
      "a deletion list that is null deletes the list",
      { words: ["a"] },
      { "$deleteFromPrimitiveList/words": null },
      {},
    ],
    ["a null item of what is new stays", {}, { lines: ["a", null] }, { lines: ["a", null] }],
    ["an empty patch of an empty list", { parts: [] }, { parts: [] }, { parts: [] }],
  ])("%s", (_, spec, patch, wanted) => {
    expect(patched(spec, patch)).toEqual(wanted);
  });
});

describe("applyStrategicMergePatch: $setElementOrder", () => {
  const order = (...names: string[]) => ({ "$setElementOrder/parts": named(...names) });
  test.each<[string, object, object, object]>([
    [
      "order alone",
      { parts: named("a", "b", "c") },
      order("c", "a"),
      { parts: named("b", "c", "a") },
    ],
    [
      "items that stand there twice come together, though the order names them as they were",
      { parts: named("a", "b", "a") },
      order("a", "b", "a"),
      { parts: named("a", "a", "b") },
    ],
    [
      "order and changes",
      { parts: named("a", "b") },
      { ...order("b", "a"), parts: [{ name: "a", size: 1 }] },
      { parts: [{ name: "b" }, { name: "a", size: 1 }] },
    ],
    [
      "items that the order does not know keep their place",
      { parts: named("x", "a", "y", "b") },
      order("b", "a"),
      { parts: named("x", "y", "b", "a") },
    ],
    [
      "a new item goes before those that it does not know",
      { parts: named("a", "b", "x") },
      { ...order("a", "b", "c"), parts: named("c") },
      { parts: named("a", "b", "c", "x") },
    ],
    [
      "but takes the room of one that is deleted",
      { parts: named("a", "b", "x") },
      { ...order("b", "c"), parts: [{ name: "c" }, { name: "a", $patch: "delete" }] },
      { parts: named("b", "x", "c") },
    ],
    [
      "a list that is new",
      {},
      { ...order("a", "b"), parts: [{ name: "a" }, { name: "z", $patch: "delete" }] },
      { parts: named("a") },
    ],
    [
      "scalars",
      { words: ["a", "b", "c"] },
      {
        "$setElementOrder/words": ["c", "d", "a"],
        words: ["d"],
        "$deleteFromPrimitiveList/words": ["b"],
      },
      { words: ["c", "d", "a"] },
    ],
    ["nothing to order", { text: "a" }, order("a"), { text: "a" }],
    [
      "a list that is replaced",
      { lines: ["a", "b"] },
      { "$setElementOrder/lines": ["c", "b"], lines: ["c"] },
      { lines: ["c"] },
    ],
  ])("%s", (_, spec, patch, wanted) => {
    expect(patched(spec, patch)).toEqual(wanted);
  });
});

describe("applyStrategicMergePatch: $retainKeys", () => {
  test.each<[string, object, object, object]>([
    [
      "others are dropped",
      { source: { file: "f", mode: 1 } },
      { source: { $retainKeys: ["url", "mode"], url: "u" } },
      { source: { mode: 1, url: "u" } },
    ],
    [
      "nulls need not be listed",
      { source: { file: "f" } },
      { source: { $retainKeys: ["url"], url: "u", file: null } },
      { source: { url: "u" } },
    ],
    [
      "in an item",
      { mounts: [{ name: "a", file: "f" }] },
      { mounts: [{ name: "a", $retainKeys: ["name", "url"], url: "u" }] },
      { mounts: [{ name: "a", url: "u" }] },
    ],
    [
      "without declaration as well",
      { labels: { a: "1" } },
      { labels: { $retainKeys: ["b"], b: "2" } },
      { labels: { b: "2" } },
    ],
    [
      "lists beside need not be listed",
      { parts: [{ name: "a", size: 1, tags: ["x", "y"] }] },
      {
        parts: [
          { name: "a", $retainKeys: ["name", "tags"], "$deleteFromPrimitiveList/tags": ["x"] },
        ],
      },
      { parts: [{ name: "a", tags: ["y"] }] },
    ],
  ])("%s", (_, spec, patch, wanted) => {
    expect(patched(spec, patch)).toEqual(wanted);
  });
});

test("applyStrategicMergePatch: names of fields are found in another case, as Go does", () => {
  expect(patched({ PARTS: named("a") }, { PARTS: named("b") })).toEqual({
    PARTS: named("b", "a"),
  });
});

test("applyStrategicMergePatch: long lists cost no more than their length", () => {
  const all = Array.from({ length: 50_000 }, (_, i) => ({ name: `n${i}` }));
  const words = all.map(({ name }) => name);
  const deletions = all.slice(1).map((item) => ({ ...item, $patch: "delete" }));
  const spec = { parts: all, words };
  expect(patched(spec, { parts: deletions, "$setElementOrder/words": words.toReversed() })).toEqual(
    {
      parts: [{ name: "n0" }],
      words: words.toReversed(),
    },
  );
});
