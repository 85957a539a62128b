import { expect, test } from "vitest";
import { jsonNode, PlainJsonError, plainJson } from "./plain-json.ts";
import { jsonValue } from "./strict-json.ts";

test("plainJson: a copy that is what the value's text would be read as", () => {
  const shared = { a: 1 };
  const value = {
    absent: undefined,
    list: [1, undefined, null, -0, 1.5, true, "x", shared, shared],
    date: new Date(0),
    large: 2n ** 60n,
    small: 7n,
    half: "a\ud800b",
    ["__proto__"]: shared,
    bare: Object.assign(Object.create(null), { b: 2 }),
  };
  Object.defineProperty(value, "__proto__", { value: shared, enumerable: true });
  const copy = plainJson(value) as Record<string, unknown>;
  expect(Object.keys(copy)).toEqual(Object.keys(value).filter((name) => name !== "absent"));
  expect(copy).toMatchObject({
    list: [1, null, null, 0, 1.5, true, "x", { a: 1 }, { a: 1 }],
    date: "1970-01-01T00:00:00.000Z",
    large: 2n ** 60n,
    small: 7,
    half: "a\ufffdb",
    bare: { b: 2 },
  });
  expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ a: 1 });
  expect((copy.list as unknown[])[7]).not.toBe(shared);
});

test("plainJson: what has members alone is copied, whoever made it", () => {
  class Point {
    x = 1;
    y = undefined;
  }
  expect(plainJson(Object.freeze(new Point()))).toEqual({ x: 1 });
});

const itself: Record<string, unknown> = {};
itself.spec = { itself };

test.each([
  [{ spec: { f() {} } }, "spec.f is a function, which is no JSON"],
  [{ spec: [Symbol("s")] }, "spec[0] is a symbol, which is no JSON"],
  [{ spec: { replicas: Number.NaN } }, "spec.replicas is NaN, which is no JSON"],
  [{ a: Number.NEGATIVE_INFINITY }, "a is -Infinity, which is no JSON"],
  [{ a: 2n ** 63n }, "a is 9223372036854775808n, which does not fit in 64 bits"],
  [{ data: new Map() }, "data is a Map, which is no JSON"],
  [{ data: [new Uint8Array(1)] }, "data[0] is a Uint8Array, which is no JSON"],
  [Promise.resolve(), "the value is a Promise, which is no JSON"],
  [
    itself,
    "spec.itself.spec.itself.spec.itself.spec.itself… exceeded max depth: it is nested more than 1000 levels deep, or part of itself",
  ],
])("plainJson: refuses what is no JSON, and says where: %#", (value, message) => {
  expect(() => plainJson(value)).toThrow(new PlainJsonError(message));
});

test("jsonNode: stands for the value that it was made of", () => {
  const value = { a: [1, "x", null, true, 2n ** 60n, { b: {} }], c: [] };
  expect(jsonValue(jsonNode(value))).toEqual(value);
});
