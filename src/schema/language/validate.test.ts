import { expect, test } from "vitest";
import { int32, list, mapOf, message, string, strings } from "./field.ts";
import { At } from "./report.ts";
import { type Struct, struct } from "./struct.ts";
import { structType } from "./type.ts";
import { sameValue, validateAt, validateImmutable } from "./validate.ts";

const Port = struct("test.v1.Port", {
  name: string(1).required(),
  number: int32(2).min(1).max(65535),
  protocol: string(3).values("TCP", "UDP"),
});
const Service = struct("test.v1.Service", {
  ports: list(1, Port).required("at least one"),
  byName: mapOf(2, structType(Port)),
  mode: string(3).as((value) => (value === "bad" ? ["is bad", "is very bad"] : [])),
  words: strings(4).check((words, at) => {
    if (words.length > 2) at.tooMany("", words.length, 2);
  }),
  limit: int32(5).pointer().min(1),
  main: message(6, Port),
});
const lines = (struct: Struct, value: unknown) => {
  const at = At.root();
  validateAt(struct, value, at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};

test.each([
  ["nothing", {}, ["ports: Required value: at least one"]],
  ["an empty list", { ports: [] }, ["ports: Required value: at least one"]],
  [
    "items",
    { ports: [{ name: "a" }, { number: 70000, protocol: "X" }] },
    [
      "ports[1].name: Required value",
      "ports[1].number: Invalid value: 70000: must be less than or equal to 65535",
      'ports[1].protocol: Unsupported value: "X": supported values: "TCP", "UDP"',
    ],
  ],
  [
    "values of a map",
    { ports: [{ name: "a" }], byName: { k: {} } },
    ["byName[k].name: Required value"],
  ],
  [
    "a format",
    { ports: [{ name: "a" }], mode: "bad" },
    ['mode: Invalid value: "bad": is bad', 'mode: Invalid value: "bad": is very bad'],
  ],
  [
    "a rule",
    { ports: [{ name: "a" }], words: ["a", "b", "c"] },
    ["words: Too many: 3: must have at most 2 items"],
  ],
  [
    "a zero that is there",
    { ports: [{ name: "a" }], limit: 0 },
    ["limit: Invalid value: 0: must be greater than or equal to 1"],
  ],
  [
    "a valid value",
    { ports: [{ name: "a", number: 80, protocol: "TCP" }], mode: "", limit: 1 },
    [],
  ],
])("validate: %s", (_, value, wanted) => {
  expect(lines(Service, value)).toEqual(wanted);
});

test("validate: fields that no step names come first, then the steps in order", () => {
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(name);
  const Ordered = struct("test.v1.Ordered", {
    a: string(1).check(note("a")),
    b: string(2).check(note("b")),
    c: string(3).check(note("c")),
  }).rules(note("first rule"), "a", note("last rule"));
  validateAt(Ordered, { a: "1", b: "2", c: "3" }, At.root());
  expect(seen).toEqual(["b", "c", "first rule", "a", "last rule"]);
});

test("validate: what is validated elsewhere is left alone", () => {
  const Foreign = struct("test.v1.Foreign", { name: string(1).required() }).validatedElsewhere();
  const Holder = struct("test.v1.Holder", { foreign: message(1, Foreign) });
  expect(lines(Holder, { foreign: {} })).toEqual([]);
});

test("validate: a struct that holds itself is validated to its end", () => {
  const Tree: Struct = struct("test.v1.Tree", {
    name: string(1).required(),
    left: message(2, () => Tree),
  });
  expect(lines(Tree, { name: "a", left: { left: { name: "c" } } })).toEqual([
    "left.name: Required value",
  ]);
});

test("validateImmutable: fields that may not change are reported, deep in structs too", () => {
  const Inner = struct("test.v1.Inner", { id: string(1).immutable(), free: string(2) });
  const Outer = struct("test.v1.Outer", {
    inner: message(1, Inner),
    words: strings(2).immutable(),
  });
  const at = At.root();
  const old = { inner: { id: "a", free: "x" }, words: ["a"] };
  validateImmutable(Outer, { inner: { id: "b", free: "y" }, words: ["a"] }, old, at);
  validateImmutable(Outer, { inner: { id: "a" } }, old, at);
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'inner.id: Invalid value: "b": field is immutable',
    "words: Invalid value: null: field is immutable",
  ]);
});

test.each([
  [1, 1, true],
  [1, "1", false],
  [undefined, null, true],
  [undefined, [], true],
  [null, {}, false],
  ["", undefined, false],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: [] }, {}, true],
  [[1, 2], [2, 1], false],
  [[1], [1, 1], false],
  [{ 0: 1 }, [1], false],
  [{ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 1 }] } }, true],
])("sameValue: %j and %j: %s", (a, b, wanted) => {
  expect([sameValue(a, b), sameValue(b, a)]).toEqual([wanted, wanted]);
});
