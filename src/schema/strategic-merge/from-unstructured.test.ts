import { describe, expect, test } from "vitest";
import { emptyThing, Thing } from "../language/thing.test-support.ts";
import { fromUnstructured } from "./from-unstructured.ts";

const read = (document: object) => {
  try {
    return fromUnstructured(Thing, document as never);
  } catch (error) {
    return (error as Error).message;
  }
};

describe("fromUnstructured", () => {
  test.each<[object, object]>([
    [
      { text: "a", on: true, small: 1, ratio: 2 },
      { text: "a", on: true, small: 1, ratio: 2 },
    ],
    [
      { text: null, words: ["a", null], flags: { a: null } },
      { words: ["a", ""], flags: { a: "" } },
    ],
    [{ small: 4294967297, bogus: 1 }, { small: 1 }],
    [{ small: 9223372036854775807n }, { small: -1 }],
    [{ large: 5n, bogus: 1 }, { large: 5 }],
    [
      { memory: 1024, wait: "90s", bogus: 1 },
      { memory: "1024", wait: "1m30s" },
    ],
    [{ data: [104, 105], bogus: 1 }, { data: "aGk=" }],
    [{ at: "2026-01-01T01:00:00+01:00", bogus: 1 }, { at: "2026-01-01T00:00:00Z" }],
    [
      { port: "http", byName: { x: { name: "n", bogus: 1 } } },
      { port: "http", byName: { x: { name: "n" } } },
    ],
  ])("%o is read", (document, wanted) => {
    const value = { ...emptyThing, ...wanted };
    expect(read(document)).toMatchObject({ value });
  });

  test("fields that are not declared are named in order; keys of maps are not in the path", () => {
    const document = { z: 1, parts: [{ b: 1 }], byName: { x: { a: 1 } }, held: { c: { d: 1 } } };
    expect(read(document)).toMatchObject({
      strict: [
        'unknown field "byName.a"',
        'unknown field "held.c"',
        'unknown field "parts[0].b"',
        'unknown field "z"',
      ],
    });
  });

  test.each<[object, string]>([
    [{ text: 1 }, "cannot convert int64 to string"],
    [{ text: 1.5 }, "unrecognized type: string"],
    [{ text: true }, "unrecognized type: string"],
    [{ text: {} }, "unrecognized type: string"],
    [{ text: [] }, "unrecognized type: string"],
    [{ on: "true" }, "unrecognized type: bool"],
    [{ on: 1 }, "unrecognized type: bool"],
    [{ small: "1" }, "unrecognized type: int32"],
    [{ small: 1.5 }, "cannot convert float64 to int32"],
    [{ large: true }, "unrecognized type: int64"],
    [{ ratio: "1" }, "unrecognized type: float64"],
    [{ data: "?" }, "error decoding from json: illegal base64 data at input byte 0"],
    [{ data: 1 }, "cannot restore slice from int64"],
    [{ data: ["a"] }, "unrecognized type: uint8"],
    [{ words: "a" }, "cannot restore slice from string"],
    [{ words: {} }, "cannot restore slice from map"],
    [{ flags: [] }, "cannot restore map from slice"],
    [{ flags: { a: 1 } }, "cannot convert int64 to string"],
    [{ held: 5 }, "cannot restore struct from: int64"],
    [{ parts: ["a"] }, "cannot restore struct from: string"],
    [{ at: 5 }, "json: cannot unmarshal number into Go value of type string"],
    [{ at: {} }, "json: cannot unmarshal object into Go value of type string"],
    [{ port: true }, "json: cannot unmarshal bool into Go value of type int32"],
    [{ port: 1.5 }, "json: cannot unmarshal number 1.5 into Go value of type int32"],
    [{ held: 5, text: 1 }, "cannot convert int64 to string"],
  ])("%j is refused, by the first fault in the order of the declaration", (document, message) => {
    expect(read(document)).toBe(message);
  });
});
