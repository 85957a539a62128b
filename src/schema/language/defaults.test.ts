import { expect, test } from "vitest";
import { applyDefaults } from "./defaults.ts";
import { int32, list, mapOf, message, string, strings } from "./field.ts";
import { type Struct, struct } from "./struct.ts";
import { structType } from "./type.ts";

const Inner = struct("test.v1.Inner", {
  protocol: string(1).default("TCP"),
  port: int32(2),
});
const Outer = struct("test.v1.Outer", {
  mode: string(1),
  inner: message(2, Inner),
  inners: list(3, Inner),
  byName: mapOf(4, structType(Inner)),
  words: strings(5).default(["a"]),
}).defaults((outer) => {
  if (outer.mode === "auto") outer.inner ??= {};
});
const Plain = struct("test.v1.Plain", { name: string(1) });
const Tree: Struct = struct("test.v1.Tree", {
  name: string(1).default("leaf"),
  left: message(2, () => Tree),
});

test.each([
  ["what is absent is filled in", {}, { words: ["a"] }],
  ["null is absent", { words: null }, { words: ["a"] }],
  [
    "what is there is kept, empty or not",
    { words: [], inner: { protocol: "" } },
    { words: [], inner: { protocol: "" } },
  ],
  [
    "what is held is filled in, wherever it is",
    { inner: {}, inners: [{}, { protocol: "UDP" }], byName: { a: {} } },
    {
      inner: { protocol: "TCP" },
      inners: [{ protocol: "TCP" }, { protocol: "UDP" }],
      byName: { a: { protocol: "TCP" } },
      words: ["a"],
    },
  ],
  [
    "the struct's own defaults come first, and are filled in themselves",
    { mode: "auto" },
    { mode: "auto", inner: { protocol: "TCP" }, words: ["a"] },
  ],
])("applyDefaults: %s", (_, given, wanted) => {
  const value = structuredClone(given);
  applyDefaults(Outer, value);
  expect(value).toEqual(wanted);
});

test("applyDefaults: a default that is a list is nobody else's", () => {
  const [one, two]: { words: string[] }[] = [{ words: null }, { words: null }] as never;
  applyDefaults(Outer, one);
  one?.words.push("b");
  applyDefaults(Outer, two);
  expect(two).toEqual({ words: ["a"] });
});

test("applyDefaults: twice is as good as once", () => {
  const value = { mode: "auto", inners: [{}] };
  applyDefaults(Outer, value);
  const once = structuredClone(value);
  applyDefaults(Outer, value);
  expect(value).toEqual(once);
});

test("applyDefaults: a struct without defaults is left alone", () => {
  const value = Object.freeze({ name: "x" });
  applyDefaults(Plain, value);
  expect(value).toEqual({ name: "x" });
});

test("applyDefaults: a struct that holds itself is filled in to its end", () => {
  const value = { left: { left: {} } };
  applyDefaults(Tree, value);
  expect(value).toEqual({ name: "leaf", left: { name: "leaf", left: { name: "leaf" } } });
});
