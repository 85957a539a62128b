import { expect, test } from "vitest";
import {
  bool,
  bytes,
  double,
  field,
  int,
  int64,
  maybe,
  message,
  names,
  nested,
  repeated,
  text,
  textMap,
  uint64,
} from "./protobuf-message.ts";

const Inner = message({ name: field(1, text), on: field(2, bool) });
const Outer = message({
  id: field(1, int64),
  count: field(2, int),
  data: field(3, bytes),
  one: maybe(4, nested(Inner)),
  many: repeated(5, nested(Inner)),
  numbers: repeated(6, int),
  lease: maybe(7, int64),
});

const hex = (value: Uint8Array): string => Buffer.from(value).toString("hex");
const empty = { id: 0n, count: 0, data: new Uint8Array(0), many: [], numbers: [] };

test("message: fields are written by number and read back", () => {
  const value = {
    id: -2n,
    count: 300,
    data: Uint8Array.of(1, 2),
    one: { name: "a", on: true },
    many: [
      { name: "b", on: false },
      { name: "", on: true },
    ],
    numbers: [1, 0, 2],
    lease: 0n,
  };
  expect(Outer.decode(Outer.encode(value))).toEqual(value);
});

test("message: defaults are not written, unless the field has presence", () => {
  expect(hex(Outer.encode({ id: 0n, count: 0, data: new Uint8Array(0), many: [] }))).toBe("");
  expect(hex(Outer.encode({ one: { name: "", on: false }, lease: 0n }))).toBe("22003800");
  expect(Outer.decode(new Uint8Array(0))).toEqual(empty);
});

test("message: 64-bit identifiers are exact", () => {
  for (const id of [0xde8f_9a55_03c1_11e2n, 2n ** 63n, 2n ** 53n + 1n, 1n]) {
    const read = Outer.decode(Outer.encode({ id })).id;
    expect(BigInt.asUintN(64, read)).toBe(id);
  }
});

test("message: unknown fields are skipped, and numbers may be packed", () => {
  const unknown = Buffer.from("7a0161" + "800101" + "3203010203" + "3004", "hex");
  expect(Outer.decode(unknown)).toEqual({ ...empty, numbers: [1, 2, 3, 4] });
});

test.for([
  ["a length that goes beyond the message", "2205"],
  ["a truncated number", "10ff"],
  ["a text where a number should be", "120161"],
] as const)("%s is refused", ([, input]) => {
  expect(() => Outer.decode(Buffer.from(input, "hex"))).toThrow();
});

const Other = message({
  labels: textMap(1),
  state: field(2, names({ created: 0, running: 1 })),
  share: field(3, double),
  used: field(4, uint64),
  states: repeated(5, names({ created: 0, running: 1 })),
});

test("message: maps, enums, doubles and unsigned numbers", () => {
  const labels = JSON.parse('{"__proto__": "a", "10": "", "b": "c"}') as Record<string, string>;
  const value = {
    labels,
    state: "running",
    share: 0.25,
    used: 2n ** 64n - 1n,
    states: ["running", "created"],
  } as const;
  const bytes = Other.encode(value);
  expect(Other.decode(bytes)).toEqual(value);
  expect(Object.keys(Other.decode(bytes).labels)).toEqual(Object.keys(labels));
  expect(Other.decode(Other.encode({ labels: { a: undefined } })).labels).toEqual({});
  expect(hex(Other.encode({ labels: { k: "v" }, share: 0.5 }))).toBe(
    "0a060a016b120176" + "19000000000000e03f",
  );
});

test("message: an unknown number of an enum is its zero", () => {
  expect(Other.decode(Buffer.from("1007", "hex")).state).toBe("created");
});
