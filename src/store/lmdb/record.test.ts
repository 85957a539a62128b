import { expect, test } from "vitest";
import { decodeHeader, decodeValue, encodeRecord, type RecordHeader } from "./record.ts";

const header: RecordHeader = {
  revision: 2 ** 40 + 3,
  ordinal: 65_534,
  type: "put",
  key: "/registry/é\u{10000}",
  createRevision: 2 ** 40,
  version: 4_000_000_000,
  expiresAt: 1_800_000_000_000,
};
const deletion: RecordHeader = { ...header, type: "delete", ordinal: 0, expiresAt: 0 };
const value = Uint8Array.of(1, 2, 255);

for (const [what, each, bytes] of [
  ["a put", header, value],
  ["an empty value", header, new Uint8Array(0)],
  ["a deletion", deletion, new Uint8Array(0)],
] as const) {
  test(`encodeRecord: ${what} is decoded unchanged`, () => {
    const { id, record } = encodeRecord(each, bytes);
    expect([decodeHeader(id, record), decodeValue(id, record)]).toEqual([each, bytes]);
  });
}

test("encodeRecord: records sort by revision and ordinal", () => {
  const places = [
    [1, 0],
    [1, 1],
    [1, 256],
    [2, 0],
    [255, 7],
    [256, 0],
    [2 ** 33, 0],
  ] as const;
  const ids = places.map(
    ([revision, ordinal]) => encodeRecord({ ...header, revision, ordinal }, value).id,
  );
  expect([...ids].sort(Buffer.compare)).toEqual(ids);
});

test("decodeHeader: any flipped bit is detected", () => {
  const { id, record } = encodeRecord(header, value);
  const undetected = [];
  for (const bytes of [id, record]) {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const [index, mask] = [bit >> 3, 1 << (bit & 7)];
      bytes[index] = (bytes[index] ?? 0) ^ mask;
      if (!throws(() => decodeHeader(id, record))) undetected.push(bit);
      bytes[index] = (bytes[index] ?? 0) ^ mask;
    }
  }
  expect([undetected, throws(() => decodeHeader(id, record))]).toEqual([[], false]);
});

test("decodeHeader: a truncated record is detected", () => {
  const { id, record } = encodeRecord(header, value);
  const lengths = [0, 4, 22, record.length - 1];
  expect(
    lengths.map((length) => throws(() => decodeHeader(id, record.subarray(0, length)))),
  ).toEqual(lengths.map(() => true));
});

function throws(decode: () => unknown): boolean {
  try {
    decode();
    return false;
  } catch {
    return true;
  }
}
