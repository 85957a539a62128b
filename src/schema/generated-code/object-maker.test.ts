import { expect, test } from "vitest";
import { objectMaker } from "./object-maker.ts";

test("objectMaker: an object has the names whose bits are set, in their order", () => {
  const make = objectMaker(["a", "b", "c"]);
  expect(JSON.stringify(make?.of(0b101, 0)(1, undefined, 3))).toBe('{"a":1,"c":3}');
  expect(make?.of(0, 0)(undefined, undefined, undefined)).toEqual({});
});

test("objectMaker: names beyond the 31st have their bits in a second number", () => {
  const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
  const make = objectMaker(names);
  const values = names.map((_, i) => (i === 0 || i === 30 || i === 31 || i === 39 ? i : undefined));
  const made = make?.of(1 | (1 << 30), 1 | (1 << 8))(...values);
  expect(JSON.stringify(made)).toBe('{"n0":0,"n30":30,"n31":31,"n39":39}');
});

test("objectMaker: objects are right, too, in more combinations than have functions", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const make = objectMaker(names);
  for (let round = 0; round < 2; round++)
    for (let bits = 0; bits < 64; bits++) {
      const values = names.map((_, i) => (bits & (1 << i) ? i : undefined));
      const expected = JSON.stringify(
        Object.fromEntries(names.map((name, i) => [name, values[i]])),
      );
      expect(JSON.stringify(make?.of(bits, 0)(...values))).toBe(expected);
    }
});

test("objectMaker: there is none for names that every object has, or for too many", () => {
  expect(objectMaker(["constructor"])).toBe(undefined);
  expect(objectMaker(Array.from({ length: 63 }, (_, i) => `n${i}`))).toBe(undefined);
});
