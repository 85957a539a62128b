import { expect, test } from "vitest";
import {
  list,
  mapOf,
  message,
  quantity,
  string,
  stringMap,
  strings,
} from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import { quantityType } from "../../../schema/language/type.ts";
import { semanticEqual } from "./semantic-equal.ts";

const Inner = struct("test.v1.Inner", { size: quantity(1), names: strings(2) });
const Outer = struct("test.v1.Outer", {
  name: string(1),
  inner: message(2, Inner),
  all: list(3, Inner),
  amounts: mapOf(4, quantityType),
  labels: stringMap(5),
});

test.each([
  [
    "amounts count, not their form",
    { inner: { size: "1Gi" } },
    { inner: { size: "1024Mi" } },
    true,
  ],
  ["amounts in maps too", { amounts: { a: "1" } }, { amounts: { a: "1k" } }, false],
  [
    "a decimal form is one of them",
    { amounts: { a: "1Gi" } },
    { amounts: { a: "1073741824" } },
    true,
  ],
  ["units that look alike differ", { amounts: { a: "1Gi" } }, { amounts: { a: "1G" } }, false],
  ["texts count", { name: "a" }, { name: "b" }, false],
  ["so do texts in structs", { inner: { names: ["a"] } }, { inner: { names: ["b"] } }, false],
  ["a missing label counts", { labels: { a: "b" } }, {}, false],
  ["a label under another key counts", { labels: { a: "b" } }, { labels: { c: "b" } }, false],
  ["an empty map of labels is as good as none", { labels: {} }, {}, true],
  ["empty lists of different fields are alike", { all: [] }, { inner: undefined }, true],
  ["an empty list is as good as none", { inner: { names: [] } }, { inner: {} }, true],
  ["an empty map is as good as none", { amounts: {} }, {}, true],
  ["an empty struct is not", { inner: {} }, {}, false],
  ["members that are undefined are absent", { name: undefined }, {}, true],
  [
    "lists are compared in order",
    { inner: { names: ["a", "b"] } },
    { inner: { names: ["b", "a"] } },
    false,
  ],
  ["so are lists of structs", { all: [{ size: "1" }] }, { all: [{ size: "1000m" }] }, true],
  ["keys of maps count", { amounts: { a: "1" } }, { amounts: { b: "1" } }, false],
])("semanticEqual: %s", (_, a, b, same) => {
  expect(semanticEqual(Outer, a, b)).toEqual(same);
  expect(semanticEqual(Outer, b, a)).toEqual(same);
});
