import { expect, test } from "vitest";
import { decodeSharedRange, encodeSharedRange } from "./range-allocation.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const text = (letters: string) => Buffer.from(letters).toString("hex");

test("a shared range is stored as upstream's RangeAllocation", () => {
  const kind = `0a02${text("v1")}120f${text("RangeAllocation")}`;
  // An empty ObjectMeta is encoded with all its fields, including the creation time.
  const metadata = "0a10" + "0a0012001a0022002a00320038004200";
  const raw = `${metadata}120b${text("30000-32767")}1a020201`;
  const bytes = `6b3873000a15${kind}12${(raw.length / 2).toString(16)}${raw}1a002200`;
  const range = { range: "30000-32767", data: Uint8Array.of(2, 1) };
  expect(hex(encodeSharedRange(range))).toBe(bytes);
  expect(decodeSharedRange(encodeSharedRange(range))).toEqual(range);
});

test("a range without allocated values has no bytes", () => {
  const range = { range: "1-2", data: new Uint8Array() };
  expect(decodeSharedRange(encodeSharedRange(range))).toEqual(range);
});
