import { expect, test } from "vitest";
import {
  bool,
  inline,
  int32,
  list,
  listOf,
  mapOf,
  message,
  string,
  strings,
  time,
  value,
} from "./field.ts";
import { struct } from "./struct.ts";
import { quantityType, structOf } from "./type.ts";

const Part = struct("io.k8s.test.v1.Part", { name: string(1), size: int32(2) });

test("Field: zero is written as Go's tags would have it", () => {
  const zeros = {
    plain: string(1),
    pointer: int32(1).pointer(),
    always: bool(1).always(),
    nullable: string(1).nullable(),
    time: time(1),
    message: message(1, Part),
    value: value(1, Part),
    omitted: value(1, Part).omitZero(),
    list: list(1, Part),
  };
  expect(Object.fromEntries(Object.entries(zeros).map(([name, { zero }]) => [name, zero]))).toEqual(
    {
      plain: "omit",
      pointer: "pointer",
      always: "always",
      nullable: "null",
      time: "pointer",
      message: "pointer",
      value: "always",
      omitted: "omit",
      list: "omit",
    },
  );
});

test("Field: types are named as Go names them", () => {
  const types = [
    strings(1),
    list(1, Part),
    mapOf(1, quantityType),
    listOf(1, quantityType),
    mapOf(1, quantityType, "v1.ResourceName"),
  ];
  expect(types.map(({ type }) => type.goType)).toEqual([
    "[]string",
    "[]v1.Part",
    "map[string]resource.Quantity",
    "[]resource.Quantity",
    "map[v1.ResourceName]resource.Quantity",
  ]);
});

test("Field: a list keyed by fields merges by the first of them", () => {
  const { listKind, listKeys, patchStrategy, patchMergeKey } = list(1, Part).keyedBy(
    "name",
    "size",
  );
  expect([listKind, listKeys, patchStrategy, patchMergeKey]).toEqual([
    "map",
    ["name", "size"],
    "merge",
    "name",
  ]);
});

test("Field: atomic means the list or the struct, as the case may be", () => {
  const [words, part] = [strings(1).atomic(), message(1, Part).atomic()];
  expect([words.listKind, words.isAtomic, part.listKind, part.isAtomic]).toEqual([
    "atomic",
    false,
    undefined,
    true,
  ]);
});

test("inline: fields keep their numbers and know what holds them, and the struct does not change", () => {
  const fields = inline(7, Part);
  expect(Object.values(fields).map(({ tag, under }) => [tag, under])).toEqual([
    [1, [7]],
    [2, [7]],
  ]);
  expect(Part.fields.name.under).toEqual([]);
  const { under, embeddedIn } = inline(3, { fields, shortName: "Outer" }).name;
  expect([under, embeddedIn]).toEqual([
    [3, 7],
    ["Outer", Part.shortName],
  ]);
});

test("structOf: a struct may be named before it is there", () => {
  expect(structOf(message(1, () => Part).type)).toBe(Part);
  expect(structOf(string(1).type)).toEqual(undefined);
});
