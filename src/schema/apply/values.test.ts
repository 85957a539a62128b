import { describe, expect, test } from "vitest";
import { deducedShape, type Shape } from "../language/shape.ts";
import { sharedFields } from "../language/shared-fields.ts";
import { compare } from "./compare.ts";
import { readFields, writeFields } from "./fields-v1.ts";
import { merged } from "./merge.ts";
import { withNamedFields } from "./named-fields.ts";
import { problemsOf } from "./problems-of.ts";
import { reconciled } from "./reconcile.ts";
import { without } from "./remove.ts";
import { thing } from "./thing.test-support.ts";
import { fieldSetOf } from "./to-field-set.ts";
import { problemText } from "./typed.ts";

const spec = thing.map?.fields.get("spec")?.shape as Shape;
const tcp = (port: number, more: object = {}) => ({ port, protocol: "TCP", ...more });

describe("problemsOf", () => {
  test.each([
    [{ size: "x" }, ".size: expected numeric (int or float), got string"],
    [{ note: 1 }, ".note: expected string, got &value.valueUnstructured{Value:1}"],
    [
      { note: { a: [true, null] } },
      '.note: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{true, interface {}(nil)}}}',
    ],
    [{ args: { a: 1 } }, ".args: expected list, got &{map[a:1]}"],
    [{ labels: ["a", 2] }, ".labels: expected map, got &{[a 2]}"],
    [{ bogus: 1 }, ".bogus: field not declared in schema"],
    [{ groups: ["a", "a"] }, '.groups: duplicate entries for key [="a"]'],
    [
      { groups: [{}] },
      ".groups: element 0: associative list without keys has an element that's a map type",
    ],
    [
      { groups: [null] },
      ".groups: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      { groups: [[]] },
      ".groups: element 0: not supported: associative list with lists as elements",
    ],
    [{ ports: [tcp(1), tcp(1)] }, '.ports: duplicate entries for key [port=1,protocol="TCP"]'],
    [
      { ports: [tcp(1), 3] },
      ".ports: element 1: associative list with keys may not have non-map elements",
    ],
    [
      { ports: [null] },
      ".ports: element 0: associative list with keys may not have a null element",
    ],
    [
      { ports: [tcp(80, { name: 1 })] },
      '.ports[port=80,protocol="TCP"].name: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [{ args: ["a", 1] }, ".args[1]: expected string, got &value.valueUnstructured{Value:1}"],
    [
      { size: "x", note: 1 },
      "errors:\n  .size: expected numeric (int or float), got string\n  .note: expected string, got &value.valueUnstructured{Value:1}",
    ],
  ])("%j", (value, text) => {
    expect(problemText(problemsOf(spec, value, { allowDuplicates: false }))).toBe(text);
  });
  test.each([
    [{ size: null, args: null, labels: null, ports: null }],
    [{ free: { any: ["thing", { at: 1 }] } }],
    [{ ports: [{ port: 1 }, { port: 1, protocol: "UDP" }] }],
  ])("%j has the shape", (value) => {
    expect(problemsOf(spec, value, { allowDuplicates: false })).toEqual([]);
  });
  test("a key that is absent counts as its default, or not at all", () => {
    const ports = [{ name: "a" }, { port: 0, name: "b" }];
    expect(problemText(problemsOf(spec, { ports }, { allowDuplicates: false }))).toBe(
      ".ports: duplicate entries for key [port=0]",
    );
  });
});

describe("fieldSetOf", () => {
  test.each([
    ["scalars", { size: 1, note: null }, { "f:note": {}, "f:size": {} }],
    [
      "a whole",
      { args: ["a"], whole: { a: "b" }, reference: { name: "x" } },
      { "f:args": {}, "f:reference": {}, "f:whole": {} },
    ],
    ["members of maps", { labels: { a: "b" } }, { "f:labels": { "f:a": {} } }],
    ["an empty map, not an empty list", { labels: {}, groups: [] }, { "f:labels": {} }],
    ["items of sets", { groups: ["b", "a"] }, { "f:groups": { 'v:"a"': {}, 'v:"b"': {} } }],
    [
      "items by their keys, and their fields",
      { ports: [tcp(1, { name: "n" })] },
      {
        "f:ports": {
          'k:{"port":1,"protocol":"TCP"}': {
            ".": {},
            "f:name": {},
            "f:port": {},
            "f:protocol": {},
          },
        },
      },
    ],
    [
      "items that stand there twice as one",
      { groups: ["a", "a"], ports: [tcp(1, { name: "x" }), tcp(1)] },
      { "f:groups": { 'v:"a"': {} }, "f:ports": { 'k:{"port":1,"protocol":"TCP"}': {} } },
    ],
  ])("%s", (_, value, fields) => {
    expect(writeFields(fieldSetOf(spec, value))).toEqual(fields);
  });
});

describe("merged", () => {
  test.each([
    ["what only one has", { size: 1 }, { note: "a" }, { size: 1, note: "a" }],
    ["what both have is the configuration's", { size: 1 }, { size: 2 }, { size: 2 }],
    [
      "wholes are replaced",
      { args: ["a"], whole: { a: "1" } },
      { args: ["b"], whole: { b: "2" } },
      { args: ["b"], whole: { b: "2" } },
    ],
    [
      "maps are merged",
      { labels: { a: "1", b: "1" } },
      { labels: { b: "2", c: "2" } },
      { labels: { a: "1", b: "2", c: "2" } },
    ],
    [
      "null leaves maps and lists, and is a scalar",
      { labels: { a: "1" }, groups: ["a"], size: 1 },
      { labels: null, groups: null, size: null },
      { labels: { a: "1" }, groups: ["a"], size: null },
    ],
    [
      "items by their keys",
      { ports: [tcp(1, { name: "a" }), tcp(2)] },
      { ports: [{ port: 1, protocol: "TCP", labels: { x: "y" } }] },
      { ports: [tcp(1, { name: "a", labels: { x: "y" } }), tcp(2)] },
    ],
  ])("%s", (_, live, config, result) => {
    expect(merged(spec, live, config)).toEqual(result);
  });
  test.each([
    [
      ["a", "b", "c"],
      ["c", "a"],
      ["b", "c", "a"],
    ],
    [
      ["a", "b", "c"],
      ["b", "x"],
      ["a", "b", "c", "x"],
    ],
    [
      ["a", "b"],
      ["x", "a"],
      ["x", "a", "b"],
    ],
    [
      ["a", "b", "c", "d"],
      ["d", "b"],
      ["a", "c", "d", "b"],
    ],
    [[], ["b", "a"], ["b", "a"]],
    [["a"], [], ["a"]],
  ])("items of %j with %j laid over are in this order", (live, config, result) => {
    expect(merged(spec, { groups: live }, { groups: config })).toEqual({ groups: result });
  });
  test("what is free takes the form of the configuration", () => {
    expect(merged(deducedShape, { a: { b: 1 }, c: [1] }, { a: 2, c: { d: 1 } })).toEqual({
      a: 2,
      c: { d: 1 },
    });
  });
});

describe("compare", () => {
  const compared = (before: unknown, after: unknown) => {
    const { removed, modified, added } = compare(spec, before, after);
    return [writeFields(removed), writeFields(modified), writeFields(added)];
  };
  test.each([
    ["equal", { size: 1 }, { size: 1 }, [{}, {}, {}]],
    [
      "scalars",
      { size: 1, note: "a" },
      { size: 2, args: ["x"] },
      [{ "f:note": {} }, { "f:size": {} }, { "f:args": {} }],
    ],
    [
      "a map that comes is there itself",
      {},
      { labels: { a: "1" } },
      [{}, {}, { "f:labels": { ".": {}, "f:a": {} } }],
    ],
    [
      "a map that was null is not",
      { labels: null },
      { labels: { a: "1" } },
      [{}, {}, { "f:labels": { "f:a": {} } }],
    ],
    ["null and empty differ", { labels: null }, { labels: {} }, [{}, { "f:labels": {} }, {}]],
    ["wholes", { whole: { a: "1" } }, { whole: { b: "1" } }, [{}, { "f:whole": {} }, {}]],
    [
      "items",
      { groups: ["a"] },
      { groups: ["b"] },
      [{ "f:groups": { 'v:"a"': {} } }, {}, { "f:groups": { 'v:"b"': {} } }],
    ],
    [
      "the order of items is no difference",
      { groups: ["a", "b"] },
      { groups: ["b", "a"] },
      [{}, {}, {}],
    ],
    [
      "items that come to stand there twice",
      { ports: [tcp(1, { name: "n" })] },
      { ports: [tcp(1), tcp(1)] },
      [
        {
          "f:ports": {
            'k:{"port":1,"protocol":"TCP"}': {
              ".": {},
              "f:name": {},
              "f:port": {},
              "f:protocol": {},
            },
          },
        },
        {},
        { "f:ports": { 'k:{"port":1,"protocol":"TCP"}': {} } },
      ],
    ],
  ])("%s", (_, before, after, sets) => {
    expect(compared(before, after)).toEqual(sets);
  });
  test("what takes another form is seen in both", () => {
    const { modified, added } = compare(deducedShape, { a: 1 }, { a: { b: 1 } });
    expect([writeFields(modified), writeFields(added)]).toEqual([
      { "f:a": {} },
      { "f:a": { "f:b": {} } },
    ]);
  });
});

test.each([
  ["a field", { size: 1, note: "a" }, { "f:size": {} }, { note: "a" }],
  [
    "a member",
    { labels: { a: "1", b: "2" } },
    { "f:labels": { "f:a": {} } },
    { labels: { b: "2" } },
  ],
  [
    "the last member: null is left",
    { labels: { a: "1" } },
    { "f:labels": { "f:a": {} } },
    { labels: null },
  ],
  ["an item", { groups: ["a", "b"] }, { "f:groups": { 'v:"a"': {} } }, { groups: ["b"] }],
  [
    "a field of an item",
    { ports: [tcp(1, { name: "n" })] },
    { "f:ports": { 'k:{"port":1,"protocol":"TCP"}': { "f:name": {} } } },
    { ports: [tcp(1)] },
  ],
])("without: %s", (_, value, removed, rest) => {
  expect(without(spec, value, readFields(removed))).toEqual(rest);
});

test("withNamedFields: the fields of structs on the way, not members and items", () => {
  const set = readFields({
    "f:spec": { "f:labels": { "f:a": {} }, "f:ports": { 'k:{"port":1}': { "f:name": {} } } },
  });
  expect(writeFields(withNamedFields(thing, set))).toEqual({
    "f:spec": {
      ".": {},
      "f:labels": { ".": {}, "f:a": {} },
      "f:ports": { ".": {}, 'k:{"port":1}': { "f:name": {} } },
    },
  });
});

test.each([
  [
    "what has become a whole is owned as one",
    { "f:whole": { "f:a": {}, "f:b": {} }, "f:size": {} },
    { "f:size": {}, "f:whole": {} },
  ],
  ["a list that has become a whole", { "f:args": { 'v:"a"': {} } }, { "f:args": {} }],
  ["what is no whole any more stays as it is", { "f:labels": {} }, { "f:labels": {} }],
  ["fields that are not known stay", { "f:bogus": { "f:x": {} } }, { "f:bogus": { "f:x": {} } }],
])("reconciled: %s", (_, before, after) => {
  expect(writeFields(reconciled(spec, readFields(before)))).toEqual(after);
});

test("reconciled: fields that many objects share are what the schema of each makes of them", () => {
  const fields = sharedFields('{"f:labels":{"f:app":{}}}');
  const under = (isAtomic: boolean) => {
    const labels: Shape = { map: { isAtomic, fields: new Map(), items: { scalar: "string" } } };
    const shape: Shape = {
      map: { isAtomic: false, fields: new Map([["labels", { shape: labels }]]), items: undefined },
    };
    return writeFields(reconciled(shape, readFields(fields)));
  };
  expect([under(false), under(true), under(false)]).toEqual([
    { "f:labels": { "f:app": {} } },
    { "f:labels": {} },
    { "f:labels": { "f:app": {} } },
  ]);
});
