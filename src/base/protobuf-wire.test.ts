import { expect, test } from "vitest";
import { BackwardWriter, WireError, WireReader, withWriter } from "./protobuf-wire.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const reader = (text: string) => new WireReader(Uint8Array.from(Buffer.from(text, "hex")));

function written(write: (writer: BackwardWriter) => void): string {
  const writer = new BackwardWriter(1);
  write(writer);
  return hex(writer.finish());
}

test.each([
  [0, "00"],
  [127, "7f"],
  [128, "8001"],
  [300, "ac02"],
  [2 ** 31, "8080808008"],
  [2 ** 32, "8080808010"],
  [2 ** 49, "8080808080808001"],
  [Number.MAX_SAFE_INTEGER, "ffffffffffffff0f"],
  [-1, "ffffffffffffffffff01"],
  [-300, "d4fdffffffffffffff01"],
  [Number.MIN_SAFE_INTEGER, "81808080808080f0ff01"],
])("int64: %d is written and read", (value, bytes) => {
  expect(written((writer) => writer.int64(value))).toEqual(bytes);
  expect(reader(bytes).varint()).toEqual(value);
});

test.each([
  ["beyond 2^53", "8080808080808010", "integer beyond 2^53 at byte 8"],
  ["below -2^53", "808080808080 80f0ff01", "integer beyond 2^53 at byte 10"],
  ["of eleven bytes", "ffffffffffffffffffff01", "integer overflow at byte 10"],
  ["that is truncated", "ff", "unexpected end of input at byte 1"],
  ["that is truncated late", "ffffffffffffffff", "unexpected end of input at byte 8"],
])("varint: one %s is rejected", (_, bytes, message) => {
  expect(() => reader(bytes.replaceAll(" ", "")).varint()).toThrow(message);
  expect(() => reader(bytes.replaceAll(" ", "")).varint()).toThrow(WireError);
});

test.each([0, -0, 1.5, -1e300, Infinity, Number.NaN])("double: %d is written and read", (value) => {
  expect(reader(written((writer) => writer.double(value))).double()).toEqual(value);
});

test.each(["", "a", "short", "é😀", "x".repeat(24), "y".repeat(25), "é".repeat(5000), "\ud800"])(
  "string: %s is written and read",
  (text) => {
    const bytes = written((writer) => {
      writer.string(text);
      writer.delimited(1, 0);
    });
    const read = reader(bytes);
    expect([read.varint(), read.string(), read.at]).toEqual([
      10,
      text === "\ud800" ? "\ufffd" : text,
      bytes.length / 2,
    ]);
  },
);

test("BackwardWriter: what is written last comes first, whatever its size", () => {
  const bytes = written((writer) => {
    for (let n = 0; n < 3000; n++) writer.varint(n % 100);
    writer.raw(Uint8Array.from([0xff, 0xfe]));
  });
  const numbers = Array.from({ length: 3000 }, (_, n) => n % 100).reverse();
  expect(bytes).toEqual(`fffe${hex(Uint8Array.from(numbers))}`);
});

test.each([
  [0, "8001", 2],
  [1, "0000000000000000", 8],
  [2, "020102", 3],
  [5, "00000000", 4],
])("skip: a value of wire type %d is skipped", (wireType, bytes, at) => {
  const read = reader(bytes);
  read.skip(wireType);
  expect(read.at).toEqual(at);
});

test.each([
  [1, "00"],
  [2, "0201"],
  [3, "00"],
  [4, "00"],
  [5, "000000"],
  [6, "00"],
  [7, "00"],
])("skip: a truncated value of wire type %d is rejected", (wireType, bytes) => {
  expect(() => reader(bytes).skip(wireType)).toThrow(WireError);
});

test("raw: bytes are read in place, up to their length", () => {
  const read = reader("02010203");
  expect([hex(read.raw()), read.at]).toEqual(["0102", 3]);
  expect(() => reader("0501").raw()).toThrow("length beyond the end of input at byte 1");
});

test.each([
  0n,
  1n,
  127n,
  128n,
  2n ** 34n,
  2n ** 35n - 1n,
  2n ** 35n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
])(
  "WireReader: %s and its negative are read as they were written, with all their bits",
  (value) => {
    for (const one of [value, -value, -value - 1n]) {
      const bytes = withWriter((writer) => writer.bigint64(one));
      expect(new WireReader(bytes).bigint64()).toBe(one);
      expect(new WireReader(bytes).truth()).toBe(one !== 0n);
    }
  },
);
