import { expect, test } from "vitest";
import { sameSet } from "./field-set.test-support.ts";
import {
  difference,
  differenceBelow,
  emptySet,
  type FieldSet,
  hasPath,
  intersection,
  isEmpty,
  onlyAlong,
  pathsOf,
  setOf,
  union,
} from "./field-set.ts";
import { readFields, writeFields } from "./fields-v1.ts";

/** A set of fields by their names, such as `a.b`. */
const fields = (...names: readonly string[]): FieldSet =>
  setOf(names.map((name) => name.split(".").map((step) => `f:${step}`)));
const namesOf = (set: FieldSet): string[] =>
  pathsOf(set).map((path) => path.map((step) => step.slice(2)).join("."));

const a = fields("x", "x.y", "x.z", "l.m", "n");
const b = fields("x", "x.z", "x.w", "l", "o");

test.each([
  ["union", union(a, b), ["l", "n", "o", "x", "l.m", "x.w", "x.y", "x.z"]],
  ["intersection", intersection(a, b), ["x", "x.z"]],
  ["difference, which keeps what is below", difference(a, b), ["n", "l.m", "x.y"]],
  ["differenceBelow, which does not", differenceBelow(a, b), ["n"]],
])("%s", (_, set, names) => {
  expect(namesOf(set)).toEqual(names);
});

test("onlyAlong: paths that lead to a pattern, and on from it, and no others", () => {
  const set = fields("s", "s.c", "s.c.a", "s.c.a.r", "s.c.a.r.x", "s.c.a.i", "s.d", "m.l");
  const along = (...patterns: readonly string[]) =>
    namesOf(
      onlyAlong(
        set,
        patterns.map((p) => p.split(".").map((step) => (step === "*" ? step : `f:${step}`))),
      ),
    );
  expect(along("s.c.*.r")).toEqual(["s", "s.c", "s.c.a", "s.c.a.r", "s.c.a.r.x"]);
  expect(along("s.d", "m")).toEqual(["s", "m.l", "s.d"]);
  expect(along("x")).toEqual([]);
});

test("a path is in a set by itself, not by what is below it", () => {
  expect([hasPath(a, ["f:x"]), hasPath(a, ["f:l"]), hasPath(a, [])]).toEqual([true, false, false]);
});
test("a set without members is empty, however many nodes it has", () => {
  const hollow = { members: new Set<string>(), children: new Map([["f:a", emptySet]]) };
  expect([isEmpty(hollow), isEmpty(a), sameSet(hollow, emptySet)]).toEqual([true, false, true]);
});

test.each([
  [{}, []],
  [{ "f:a": {} }, ["a"]],
  [{ "f:a": { ".": {}, "f:b": {} } }, ["a", "a.b"]],
  [{ "f:a": { "f:b": {}, "f:c": { "f:d": {} } } }, ["a.b", "a.c.d"]],
])("fieldsV1 %j are these paths, and are written the same", (json, names) => {
  expect(namesOf(readFields(json)).sort()).toEqual([...names].sort());
  expect(JSON.stringify(writeFields(readFields(json)))).toBe(JSON.stringify(json));
});

test.each([
  ["steps of a kind that is not known are left out", { "f:a": {}, "x:b": {} }, { "f:a": {} }],
  ["steps are written in order", { "f:b": {}, "f:a": {} }, { "f:a": {}, "f:b": {} }],
  ["a lone dot is nothing", { ".": {} }, {}],
  ["values that are no objects end a path", { "f:a": null, "f:b": 1 }, { "f:a": {}, "f:b": {} }],
])("fieldsV1: %s", (_, json, written) => {
  expect(JSON.stringify(writeFields(readFields(json)))).toBe(JSON.stringify(written));
});
test.each([["text"], [[1]], [{ "f:a": { bad: {} } }]])("fieldsV1 %j cannot be read", (json) => {
  expect(() => readFields(json)).toThrow(SyntaxError);
});
