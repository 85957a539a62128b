import { expect, test } from "vitest";
import { contentOf, DerError, oidOf } from "../../base/der-reader.ts";
import {
  bitString,
  boolean,
  contextTag,
  integer,
  namedBits,
  nothing,
  octetString,
  oid,
  sequence,
  set,
  time,
  utf8String,
} from "./der.ts";
import { readChildren, readDer, readText } from "./read-der.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test.each([
  ["integer 0", integer(0), "020100"],
  ["integer 127", integer(127), "02017f"],
  ["integer 128 gets a zero, to stay positive", integer(128), "02020080"],
  ["integer 2^40", integer(2 ** 40), "0206010000000000"],
  ["integer bytes lose leading zeros", integer(Buffer.of(0, 0, 1)), "020101"],
  ["integer bytes stay positive", integer(Buffer.of(0xff)), "020200ff"],
  ["boolean", Buffer.concat([boolean(true), boolean(false)]), "0101ff010100"],
  ["null", nothing(), "0500"],
  ["oid", oid("1.2.840.10045.4.3.2"), "06082a8648ce3d040302"],
  ["oid whose first number is 2", oid("2.999.3"), "0603883703"],
  ["utf8 string", utf8String("é"), "0c02c3a9"],
  ["bit string", bitString(Buffer.of(0xaa)), "030200aa"],
  ["named bits end with the last that is set", namedBits([0, 5, 6]), "03020186"],
  ["named bits beyond a byte", namedBits([8]), "0303070080"],
  ["no named bits", namedBits([]), "030100"],
  ["octet string", octetString(Buffer.of(1, 2)), "04020102"],
  ["set is sorted", set(integer(2), integer(1)), "3106020101020102"],
  ["context tag", contextTag(3, integer(1), true), "a303020101"],
  ["primitive context tag", contextTag(2, Buffer.from("a"), false), "820161"],
  [
    "time of this century",
    time(new Date("2049-12-31T23:59:59.999Z")),
    "170d3439313233313233353935395a",
  ],
  ["time after 2049", time(new Date("2050-01-01T00:00:00Z")), "180f32303530303130313030303030305a"],
  ["long length", sequence(octetString(Buffer.alloc(300))).subarray(0, 8), "308201300482012c"],
])("der: %s", (_, bytes, wanted) => {
  expect(hex(bytes)).toEqual(wanted);
});

test("der: a negative number, or one too large to be exact, is rejected", () => {
  expect(() => integer(-1)).toThrow("not a DER number");
  expect(() => integer(2 ** 60)).toThrow("not a DER number");
});

test("readDer: what was written is read", () => {
  const read = readDer(
    sequence(oid("2.999.3"), utf8String("ü"), octetString(Buffer.alloc(70_000))),
  );
  const [first, second, third] = readChildren(read);
  expect([
    first && oidOf(contentOf(first)),
    second && readText(second),
    third && contentOf(third).length,
  ]).toEqual(["2.999.3", "ü", 70_000]);
});

test.each([
  ["nothing", ""],
  ["no length", "30"],
  ["truncated content", "040501"],
  ["a truncated length", "0482"],
  ["an indefinite length", "30800000"],
  ["a length of five bytes", "048500000000010a"],
  ["trailing bytes", "050000"],
  ["a tag of several bytes", "1f8101010a"],
])("readDer: rejects %s", (_, text) => {
  expect(() => readDer(Buffer.from(text, "hex"))).toThrow(DerError);
});

test("readText: reads every string type, and nothing else", () => {
  const texts = ["0c02c3a9", "1301e9", "1601e9", "1401e9", "1e0400e90041", "020105"];
  expect(texts.map((text) => readText(readDer(Buffer.from(text, "hex"))))).toEqual([
    "é",
    "é",
    "é",
    "é",
    "éA",
    undefined,
  ]);
});
