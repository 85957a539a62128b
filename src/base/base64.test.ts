import { expect, test } from "vitest";
import { canonicalBase64, decodeBase64, decodedSize, encodeBase64 } from "./base64.ts";

test("encodeBase64, decodeBase64: agree with Buffer at every length", () => {
  for (const length of [...Array(10).keys(), 12_287, 12_288, 12_289, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + (i >> 8)) & 255);
    const text = Buffer.from(bytes).toString("base64");
    expect([encodeBase64(bytes), decodedSize(text)]).toEqual([text, length]);
    expect(Buffer.from(decodeBase64(text)).equals(bytes)).toBe(true);
  }
});

test.each([
  ["", ""],
  ["Zm9v", "Zm9v"],
  ["Zm8=", "Zm8="],
  ["Zg==", "Zg=="],
  ["Zh==", "Zg=="],
  ["Zm9=", "Zm8="],
  ["Zm\n9v\r\n", "Zm9v"],
  ["Zg=\n=\n", "Zg=="],
])("canonicalBase64: %j is written %j", (text, want) => {
  expect(canonicalBase64(text)).toBe(want);
});

test.each([
  ["!!!!", 0],
  ["====", 0],
  ["x===", 1],
  ["=AAA", 0],
  ["A=AA", 1],
  ["AA=A", 2],
  ["AA==A", 4],
  ["AAA=AAAA", 4],
  ["AAAAA", 4],
  ["AAAAAA", 4],
  ["A=", 1],
  ["A==", 1],
  ["AA=", 3],
  ["AAAAAA=", 7],
  ["YWJj ZA==", 4],
  ["YWJjü", 4],
])("decodeBase64: %j is illegal at byte %d", (text, at) => {
  expect(() => decodeBase64(text)).toThrow(
    new SyntaxError(`illegal base64 data at input byte ${at}`),
  );
});
