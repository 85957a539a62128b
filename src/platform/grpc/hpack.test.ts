import { expect, test } from "vitest";
import { type HeaderField, HpackDecoder } from "./hpack-decoder.ts";
import { HpackEncoder } from "./hpack-encoder.ts";
import { decodeHuffman } from "./hpack-huffman.ts";
import { staticTable } from "./hpack-table.ts";

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");

test("staticTable: has the fields of RFC 7541, appendix A", () => {
  expect([staticTable.length, staticTable[1], staticTable[15], staticTable[60]]).toEqual([
    61,
    [":method", "GET"],
    ["accept-encoding", "gzip, deflate"],
    ["www-authenticate", ""],
  ]);
});

test.each([
  ["f1e3 c2e5 f23a 6ba0 ab90 f4ff", "www.example.com"],
  ["25a8 49e9 5bb8 e8b4 bf", "custom-value"],
  ["d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff", "Mon, 21 Oct 2013 20:13:21 GMT"],
  // "\n" has one of the longest codes.
  ["ffff fff3", "\n"],
])("decodeHuffman: %s is %s", (code, text) => {
  expect(decodeHuffman(hex(code))).toEqual(text);
});

test("HpackDecoder: reads the responses of RFC 7541, C.6, with eviction from the table", () => {
  const decoder = new HpackDecoder();
  // As if the table had been made smaller: 256 bytes.
  decoder.decode(hex("3fe101"));
  const blocks = [
    "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
    "4883 640e ffc1 c0bf",
    "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
  ].map((block) => decoder.decode(hex(block)));
  const [first, second] = ["Mon, 21 Oct 2013 20:13:21 GMT", "Mon, 21 Oct 2013 20:13:22 GMT"];
  const location = ["location", "https://www.example.com"];
  expect(blocks).toEqual([
    [[":status", "302"], ["cache-control", "private"], ["date", first], location],
    [[":status", "307"], ["cache-control", "private"], ["date", first], location],
    [
      [":status", "200"],
      ["cache-control", "private"],
      ["date", second],
      location,
      ["content-encoding", "gzip"],
      ["set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"],
    ],
  ]);
});

test.each(["80", "c0", "0005", "00ff", "3fff ffff ffff", "7f"])(
  "HpackDecoder: %s is no block of headers",
  (block) => {
    expect(() => new HpackDecoder().decode(hex(block))).toThrow(/^hpack: /);
  },
);

test("HpackEncoder: a repeated block is decoded to the same fields and takes fewer bytes", () => {
  const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder()];
  const fields = (n: number): HeaderField[] => [
    [":method", "POST"],
    [":path", `/method-${n % 3}`],
    ["content-type", "application/grpc"],
    ["grpc-timeout", `${n}m`],
    ["long", "x".repeat(300)],
  ];
  const sizes: number[] = [];
  for (let n = 0; n < 10; n++) {
    const block = encoder.encode(fields(n), new Set(["grpc-timeout"]));
    sizes.push(block.length);
    expect(decoder.decode(Uint8Array.from(block))).toEqual(fields(n));
  }
  expect(sizes[0]).toBeGreaterThan(300);
  expect(sizes.slice(3).every((size) => size < 25)).toBe(true);
});

test("HpackEncoder: a full table gets no new entries, and a smaller one is not used", () => {
  const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder()];
  const none = new Set<string>();
  const roundTrip = (fields: HeaderField[]): HeaderField[] =>
    decoder.decode(Uint8Array.from(encoder.encode(fields, none)));
  for (let round = 0; round < 2; round++)
    for (let n = 0; n < 30; n++) {
      const fields: HeaderField[] = [[`name-${n}`, "x".repeat(200)]];
      expect(roundTrip(fields)).toEqual(fields);
    }
  encoder.shrink(1024);
  const fields: HeaderField[] = [["name-0", "x".repeat(200)]];
  expect(encoder.encode(fields, none)[0]).toBe(0x20);
  expect(roundTrip(fields)).toEqual(fields);
  expect(encoder.encode(fields, none)[0]).toBe(0);
});
