import { expect, test } from "vitest";
import { DerReader, oidOf, tags } from "./der-reader.ts";

const of = (hex: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const fault = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return (error as Error).message;
  }
};

const faults: readonly [rule: string, bytes: string, fault: string][] = [
  ["an element is required", "", "syntax error: sequence truncated"],
  ["a length follows the tag", "30", "syntax error: truncated tag or length"],
  ["a long length must be complete", "3082 01", "syntax error: truncated tag or length"],
  ["lengths are definite", "3080", "syntax error: indefinite length found (not DER)"],
  ["lengths are minimal", "3081 7f", "structure error: non-minimal length"],
  [
    "lengths do not begin with zero",
    "3082 00ff",
    "structure error: superfluous leading zeros in length",
  ],
  ["lengths have a limit", "3084 ffffffff", "structure error: length too large"],
  ["the content must be complete", "3005 00", "syntax error: data truncated"],
  ["high tags are above 30", "1f1e 00", "syntax error: non-minimal tag"],
  ["high tags must be complete", "1f81", "syntax error: truncated base 128 integer"],
];
test.each(faults)("DerReader: %s", (_, bytes, expected) => {
  expect(fault(() => new DerReader(of(bytes)).any())).toBe(`asn1: ${expected}`);
});

test("DerReader: integers are short, and may be negative", () => {
  const integer = (hex: string) => fault(() => new DerReader(of(hex)).integer(""));
  expect([
    integer("02 01 7f"),
    integer("02 02 0080"),
    integer("02 01 80"),
    integer("02 00"),
    integer("02 02 007f"),
    integer("02 02 ff80"),
  ]).toEqual([
    127n,
    128n,
    -128n,
    "asn1: structure error: empty integer",
    "asn1: structure error: integer not minimally-encoded",
    "asn1: structure error: integer not minimally-encoded",
  ]);
});

test("DerReader: the unused bits of a bit string are zero", () => {
  const bits = (hex: string) => fault(() => [...(new DerReader(of(hex)).bitString() ?? [])]);
  const invalid = "asn1: syntax error: invalid padding bits in BIT STRING";
  expect([
    bits("03 02 04f0"),
    bits("03 00"),
    bits("03 01 01"),
    bits("03 02 01ff"),
    bits("03 02 08 00"),
  ]).toEqual([[0xf0], "asn1: syntax error: zero length BIT STRING", invalid, invalid, invalid]);
});

test("oidOf: the first number encodes two arcs", () => {
  const oid = (hex: string) => fault(() => oidOf(of(hex)));
  expect([
    oid("2a 86 48 86 f7 0d"),
    oid("55 1d 11"),
    oid("88 37"),
    oid(""),
    oid("2a 80 01"),
    oid("2a 86"),
    oid("2a 8f ff ff ff 7f"),
  ]).toEqual([
    "1.2.840.113549",
    "2.5.29.17",
    "2.999",
    "asn1: syntax error: zero length OBJECT IDENTIFIER",
    "asn1: syntax error: integer is not minimally encoded",
    "asn1: syntax error: truncated base 128 integer",
    "asn1: structure error: base 128 integer too large",
  ]);
});

test("DerReader: allOf rejects another tag and truncated items", () => {
  const items = (hex: string) =>
    fault(() => new DerReader(of(hex)).allOf(tags.sequence).map(({ start, end }) => [start, end]));
  expect([items("3000 3001 00"), items("3000 3100"), items("3002 00")]).toEqual([
    [
      [0, 2],
      [2, 5],
    ],
    "asn1: structure error: sequence tag mismatch",
    "asn1: syntax error: truncated sequence",
  ]);
});
