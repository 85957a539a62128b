import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import type { ReadonlyJsonMap as JsonMap } from "../json/json-value.ts";
import type { Shape } from "../language/shape.ts";
import { compare } from "./compare.ts";
import { createdFields } from "./created-fields.ts";
import { differenceBelow, emptySet, type FieldSet, isEmpty, setOf, union } from "./field-set.ts";
import { writeFields } from "./fields-v1.ts";
import { thing, thingOf } from "./thing.test-support.ts";
import { ItemError } from "./typed.ts";

const nothing = { kind: "Thing", apiVersion: "test/v1", metadata: {}, spec: { ports: null } };

const created = (spec: JsonMap, unowned: FieldSet = emptySet) =>
  createdFields(thing, { nothing, next: thingOf(spec), unowned });

/** The same by way of sets. */
function bySets(
  shape: Shape,
  { old, next, unowned }: { old: JsonMap; next: JsonMap; unowned: FieldSet },
) {
  const { modified, added } = compare(shape, old, next);
  const set = differenceBelow(union(modified, added), unowned);
  return isEmpty(set) ? undefined : writeFields(set);
}

describe("createdFields", () => {
  test("owns what is new; what was there before is owned by what is new in it", () => {
    expect(created({ size: 1, labels: { b: "1", a: "2" }, ports: [{ port: 1 }] })).toEqual({
      "f:metadata": { "f:name": {} },
      "f:spec": {
        "f:labels": { ".": {}, "f:a": {}, "f:b": {} },
        "f:ports": { 'k:{"port":1}': { ".": {}, "f:port": {} } },
        "f:size": {},
      },
    });
  });
  test("writes steps in their order: numbers by value, fields by name", () => {
    const fields = created({ ports: [{ port: 10 }, { port: 9 }], note: "x", groups: ["b", "a"] });
    expect(JSON.stringify(fields)).toBe(
      JSON.stringify({
        "f:metadata": { "f:name": {} },
        "f:spec": {
          "f:groups": { ".": {}, 'v:"a"': {}, 'v:"b"': {} },
          "f:note": {},
          "f:ports": {
            'k:{"port":9}': { ".": {}, "f:port": {} },
            'k:{"port":10}': { ".": {}, "f:port": {} },
          },
        },
      }),
    );
  });
  test("leaves out what nobody owns, and all below it", () => {
    const unowned = setOf([
      ["f:metadata", "f:name"],
      ["f:spec", "f:labels"],
    ]);
    expect(created({ labels: { a: "1" } }, unowned)).toBe(undefined);
    expect(created({ labels: { a: "1" }, size: 1 }, unowned)).toEqual({
      "f:spec": { "f:size": {} },
    });
  });
  test("an item that cannot be told from others is an error", () => {
    expect(() => created({ ports: [null] })).toThrow(ItemError);
  });
  test("does not know where an object was there before", () => {
    const old = { ...nothing, spec: { ports: [{ port: 1 }] } };
    const next = thingOf({ ports: [{ port: 2 }] });
    expect(createdFields(thing, { nothing: old, next, unowned: emptySet })).toBe("unknown");
  });

  // So many that functions are generated for the structs on the way.
  test("finds for random objects what sets find", () => {
    const random = new SeededRandom(7);
    const unowned = setOf([
      ["f:metadata", "f:name"],
      ["f:status"],
      ["f:spec", "f:labels", "f:a"],
      ["f:spec", "f:size"],
    ]);
    const olds = [nothing, { kind: "Thing", metadata: {} }, { ...nothing, spec: {}, status: {} }];
    for (let round = 0; round < 4_000; round++) {
      const old = olds[round % olds.length] as JsonMap;
      const next = { metadata: {}, ...(randomValue(random, thing, 0) as JsonMap) };
      const fields = createdFields(thing, { nothing: old, next, unowned });
      const expected = bySets(thing, { old, next, unowned });
      expect(JSON.stringify(fields)).toBe(JSON.stringify(expected));
    }
  });
});

/** Any value of a shape; items of lists are sometimes the same. */
function randomValue(random: SeededRandom, shape: Shape, depth: number): unknown {
  const below = (count: number) => Math.floor(random.next() * count);
  const { map, list, scalar } = shape;
  const inner = (of: Shape) => randomValue(random, of, depth + 1);
  const isIn = () => depth === 0 || below(3) === 0;
  if (depth > 6 && scalar) return String(below(3));
  if (map) {
    const names = map.items && map.fields.size === 0 ? keys : [...map.fields.keys()];
    const some = depth > 6 ? [] : names.filter(isIn);
    return Object.fromEntries(
      some.map((name) => [name, inner(map.fields.get(name)?.shape ?? (map.items as Shape))]),
    );
  }
  if (list) return Array.from({ length: depth > 6 ? 0 : below(4) }, () => itemOf(list));
  return scalar === "numeric" ? below(3) : scalar === "boolean" ? below(2) === 0 : String(below(3));

  function itemOf({ keys: keyed, kind, items }: NonNullable<typeof list>): unknown {
    if (kind === "set") return String(below(12));
    const item = inner(items);
    if (keyed.length === 0) return item;
    return { ...(item as object), ...Object.fromEntries(keyed.map((key) => [key, below(12)])) };
  }
}

const keys = ["b", "a", "é", "10", "\u{1f600}", "\ufffd"];
