import { expect, test } from "vitest";
import { list, mapOf, message, quantity, string, stringMap, strings } from "./field.ts";
import { sameMeaning } from "./same-meaning.ts";
import { struct } from "./struct.ts";
import { quantityType } from "./type.ts";

const Part = struct("example.Part", { name: string(1), size: quantity(2) });
const Whole = struct("example.Whole", {
  labels: stringMap(1),
  limits: mapOf(2, quantityType),
  args: strings(3),
  parts: list(4, Part),
  first: message(5, Part),
});

test.each<[string, object, object, boolean]>([
  ["an empty map is none", { labels: {} }, {}, true],
  ["an empty list is none", { args: [] }, { parts: [] }, true],
  [
    "quantities by what they amount to",
    { limits: { m: "1Gi" } },
    { limits: { m: "1073741824" } },
    true,
  ],
  ["so in parts", { parts: [{ size: "1000m" }] }, { parts: [{ size: "1" }] }, true],
  ["other quantities", { limits: { m: "1Gi" } }, { limits: { m: "1G" } }, false],
  ["other texts", { first: { name: "a" } }, { first: { name: "b" } }, false],
  ["a label less", { labels: { a: "b" } }, {}, false],
  ["other members of a map", { labels: { a: "b" } }, { labels: { c: "b" } }, false],
  ["the order of a list counts", { args: ["a", "b"] }, { args: ["b", "a"] }, false],
  ["an empty object is one", { first: {} }, {}, false],
])("sameMeaning: %s", (_, a, b, expected) => {
  expect(sameMeaning(Whole, a, b)).toBe(expected);
  expect(sameMeaning(Whole, b, a)).toBe(expected);
});
