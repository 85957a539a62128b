import { describe, expect, test } from "vitest";
import { keyUnchanged, metadataKeyUnchanged } from "../patch/merge-patch-errors.ts";
import { applyStrategicMergePatch } from "./apply-strategic-merge-patch.ts";
import { createThreeWayMergePatch, createTwoWayMergePatch } from "./create-merge-patch.ts";
import { gadget } from "./gadget.test-support.ts";

const named = (...names: string[]) => names.map((name) => ({ name }));

describe("createTwoWayMergePatch", () => {
  test.each<[string, object, object, object]>([
    ["nothing changes", { text: "a", parts: named("a") }, { text: "a", parts: named("a") }, {}],
    [
      "scalars",
      { text: "a", on: true },
      { text: "b", count: 0 },
      { text: "b", count: 0, on: null },
    ],
    [
      "maps",
      { labels: { a: "1", b: "2" } },
      { labels: { a: "1", c: "3" } },
      { labels: { b: null, c: "3" } },
    ],
    ["another type", { text: "a" }, { text: ["a"] }, { text: ["a"] }],
    ["lists that are replaced", { lines: ["a", "b"] }, { lines: ["b"] }, { lines: ["b"] }],
    ["a new list", {}, { parts: named("b", "a") }, { parts: named("b", "a") }],
    [
      "a list that was empty",
      { parts: [] },
      { parts: named("b", "a") },
      { parts: named("b", "a") },
    ],
    [
      "an item is changed, one added, one deleted",
      { parts: [{ name: "a", size: 1 }, { name: "b" }, { name: "c", size: 1 }] },
      { parts: [{ name: "d" }, { name: "c", size: 2 }, { name: "a", size: 1 }] },
      {
        parts: [{ name: "d" }, { name: "c", size: 2 }, { name: "b", $patch: "delete" }],
        "$setElementOrder/parts": named("d", "c", "a"),
      },
    ],
    [
      "only the order",
      { parts: named("a", "b") },
      { parts: named("b", "a") },
      { "$setElementOrder/parts": named("b", "a") },
    ],
    [
      "all items are deleted",
      { parts: named("a") },
      { parts: [] },
      { parts: [{ name: "a", $patch: "delete" }] },
    ],
    [
      "scalars that are merged",
      { words: ["a", "b", "c"] },
      { words: ["d", "c", "b"] },
      {
        words: ["d"],
        "$deleteFromPrimitiveList/words": ["a"],
        "$setElementOrder/words": ["d", "c", "b"],
      },
    ],
    ["scalars that are in order do not change", { words: ["a", "b"] }, { words: ["a", "b"] }, {}],
    [
      "scalars that are not in order are ordered, though nothing changes",
      { words: ["b", "a"] },
      { words: ["b", "a"] },
      { "$setElementOrder/words": ["b", "a"] },
    ],
    [
      "scalars that are deleted are named once",
      { words: ["a", "a", "b", "c", "x"] },
      { words: ["x"] },
      { "$deleteFromPrimitiveList/words": ["a", "c", "b"], "$setElementOrder/words": ["x"] },
    ],
    [
      "keys are listed where others are dropped",
      { source: { file: "f", mode: 1 } },
      { source: { url: "u", mode: 1 } },
      { source: { $retainKeys: ["mode", "url"], file: null, url: "u" } },
    ],
    [
      "no keys are listed where nothing changes",
      { source: { file: "f" } },
      { source: { file: "f" } },
      {},
    ],
    [
      "keys are listed in items",
      {
        mounts: [
          { name: "a", file: "f" },
          { name: "b", file: "f" },
        ],
      },
      {
        mounts: [
          { name: "a", url: "u" },
          { name: "b", file: "f" },
        ],
      },
      {
        mounts: [{ name: "a", $retainKeys: ["name", "url"], file: null, url: "u" }],
        "$setElementOrder/mounts": named("a", "b"),
      },
    ],
    [
      "a map that is replaced is always sent",
      { whole: { file: "f" } },
      { whole: { file: "f" } },
      { whole: { file: "f" } },
    ],
    [
      "items with one key are matched from the last to the first",
      { parts: [{ name: "a", holes: [{ port: 1, protocol: "x" }] }] },
      {
        parts: [
          {
            name: "a",
            holes: [
              { port: 1, protocol: "x" },
              { port: 1, protocol: "y" },
            ],
          },
        ],
      },
      {
        parts: [
          {
            name: "a",
            holes: [
              { port: 1, protocol: "y" },
              { port: 1, protocol: "x" },
            ],
            "$setElementOrder/holes": [{ port: 1 }, { port: 1 }],
          },
        ],
        "$setElementOrder/parts": named("a"),
      },
    ],
    [
      "a struct that is not known does not matter where it stays",
      { bogus: { a: 1 } },
      { bogus: { a: 1 } },
      {},
    ],
  ])("%s", (_, original, modified, wanted) => {
    const spec = Object.keys(wanted).length === 0 ? {} : { spec: wanted };
    expect(createTwoWayMergePatch(gadget, { spec: original }, { spec: modified })).toEqual(spec);
  });

  test.each<[object, object, string]>([
    [
      { bogus: { a: 1 } },
      { bogus: { a: 2 } },
      'unable to find api field in struct GadgetSpec for the json field "bogus"',
    ],
    [
      { parts: [{ size: 1 }] },
      { parts: [{ size: 2 }] },
      "map: map[size:1] does not contain declared merge key: name",
    ],
    [
      { parts: named("a") },
      { parts: ["a"] },
      "list element types are not identical: [[map[name:a]] [a]]",
    ],
    [
      { source: { $patch: 1 } },
      { source: { $patch: "x" } },
      "invalid value for special key: $patch",
    ],
  ])("%j to %j is refused", (original, modified, message) => {
    expect(() => createTwoWayMergePatch(gadget, { spec: original }, { spec: modified })).toThrow(
      message,
    );
  });

  test("a patch must meet its preconditions", () => {
    const preconditions = [keyUnchanged("kind"), metadataKeyUnchanged("name")];
    const create = (modified: object) =>
      createTwoWayMergePatch(gadget, { words: [] }, modified as never, { preconditions });
    expect(create({ metadata: { labels: "x" }, words: [] })).toEqual({ metadata: { labels: "x" } });
    expect(() => create({ kind: "a", words: [] })).toThrow("precondition failed for: map[kind:a]");
    expect(() => create({ metadata: { name: "b" }, words: [] })).toThrow(
      "precondition failed for: map[metadata:map[name:b]]",
    );
  });
});

describe("createThreeWayMergePatch", () => {
  const create = (original: object, modified: object, current: object, overwrite = true) =>
    createThreeWayMergePatch(gadget, {
      original: { spec: original },
      modified: { spec: modified },
      current: { spec: current },
      overwrite,
    });

  test.each<[string, object, object, object, object]>([
    [
      "what others added stays",
      { text: "a" },
      { text: "b" },
      { text: "a", on: true },
      { text: "b" },
    ],
    [
      "what was asked for and no longer is goes",
      { text: "a", on: true },
      { text: "a" },
      { text: "a", on: true, count: 1 },
      { on: null },
    ],
    [
      "what others changed is changed back",
      { text: "a" },
      { text: "a" },
      { text: "b" },
      { text: "a" },
    ],
    [
      "items",
      { parts: named("a", "b") },
      { parts: [{ name: "a", size: 1 }, { name: "c" }] },
      { parts: [{ name: "x" }, { name: "a" }, { name: "b" }] },
      {
        parts: [{ name: "a", size: 1 }, { name: "c" }, { name: "b", $patch: "delete" }],
        "$setElementOrder/parts": named("a", "c"),
      },
    ],
    [
      "scalars",
      { words: ["a", "b"] },
      { words: ["b", "c"] },
      { words: ["a", "b", "x"] },
      {
        words: ["c"],
        "$deleteFromPrimitiveList/words": ["a"],
        "$setElementOrder/words": ["b", "c"],
      },
    ],
    [
      "keys are listed once",
      { source: { file: "f", mode: 1 } },
      { source: { url: "u" } },
      { source: { file: "f", mode: 1 } },
      { source: { $retainKeys: ["url"], file: null, mode: null, url: "u" } },
    ],
  ])("%s", (_, original, modified, current, wanted) => {
    expect(create(original, modified, current)).toEqual({ spec: wanted });
  });

  test("the patch is applied to what there is, and nothing is left to do", () => {
    const modified = { parts: [{ name: "a", size: 1 }, { name: "c" }], words: ["b", "a"] };
    const current = { parts: named("x", "b", "a"), words: ["z", "a"] };
    const patch = create({ parts: named("a", "b") }, modified, current);
    expect(applyStrategicMergePatch(gadget, { spec: current }, patch)).toEqual({
      spec: {
        parts: [{ name: "x" }, { name: "a", size: 1 }, { name: "c" }],
        words: ["b", "z", "a"],
      },
    });
  });

  test.each<[string, object, object, object, string]>([
    [
      "a scalar",
      { text: "a" },
      { text: "b" },
      { text: "c" },
      "spec:\n  text: b\n\nconflicts with changes made from original to current:\nspec:\n  text: c\n\n",
    ],
    ["a scalar that is deleted", { text: "a" }, {}, { text: "c" }, "spec:\n  text: null\n"],
    [
      "an item that is deleted",
      { parts: named("a") },
      { parts: [] },
      { parts: [{ name: "a", size: 1 }] },
      "$patch: delete",
    ],
    ["a list that is replaced", { lines: ["a"] }, { lines: ["b"] }, { lines: ["c"] }, "- b"],
  ])(
    "%s that others changed otherwise is a conflict",
    (_, original, modified, current, message) => {
      expect(() => create(original, modified, current, false)).toThrow(message);
      expect(() => create(original, modified, current)).not.toThrow();
    },
  );

  test.each<[string, object, object, object]>([
    ["others changed something else", { text: "a" }, { text: "b" }, { text: "a", on: true }],
    ["others changed it in the same way", { text: "a" }, { text: "b" }, { text: "b" }],
    [
      "items differ",
      { parts: named("a") },
      { parts: [{ name: "a", size: 1 }] },
      { parts: [{ name: "a", args: ["x"] }] },
    ],
    ["scalars are merged", { words: ["a"] }, { words: ["a", "b"] }, { words: ["a", "c"] }],
    ["lists have the same scalars", { lines: ["x"] }, { lines: ["b", "a"] }, { lines: ["a", "b"] }],
  ])("no conflict: %s", (_, original, modified, current) => {
    expect(() => create(original, modified, current, false)).not.toThrow();
  });

  test("lists of scalars that were compared are sent in order, as upstream does", () => {
    const patch = create({ lines: ["x"] }, { lines: ["b", "a"] }, { lines: ["a", "b"] }, false);
    expect(patch).toEqual({ spec: { lines: ["a", "b"] } });
  });

  test("scalars that both sides delete cannot be compared, as upstream looks for a field of that name", () => {
    expect(() => create({ words: ["a"] }, { words: [] }, { words: [] }, false)).toThrow(
      'unable to find api field in struct GadgetSpec for the json field "$deleteFromPrimitiveList/words"',
    );
  });

  test("none of the documents is changed", () => {
    const documents = [
      { words: ["b", "a"] },
      { words: ["c", "b"], lines: ["z", "y"] },
      { words: ["d", "b", "a"], lines: ["y", "z"] },
    ] as const;
    const before = structuredClone(documents);
    create(...documents, false);
    expect(documents).toEqual(before);
  });
});
