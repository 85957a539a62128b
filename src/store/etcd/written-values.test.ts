import { expect, test } from "vitest";
import type { Op } from "../store.ts";
import { writtenValues } from "./written-values.ts";

const put = (key: string, ...value: number[]): Op & { value: Uint8Array } => ({
  type: "put",
  key,
  value: Uint8Array.from(value),
});

test("writtenValues: equal bytes under the same key become the buffer that is being written", () => {
  const values = writtenValues();
  const op = put("/a", 1, 2);
  const read = Uint8Array.of(1, 2);
  values.add([op, { type: "delete", key: "/b" }]);
  expect(values.known("/a", read)).toBe(op.value);
  expect(values.known("/b", read)).toBe(read);
  const other = Uint8Array.of(1, 3);
  expect(values.known("/a", other)).toBe(other);
  values.remove([op]);
  expect(values.known("/a", read)).toBe(read);
});

test("writtenValues: the last of two writes of a key counts, and the end of the first does not remove it", () => {
  const values = writtenValues();
  const [first, second] = [put("/a", 1), put("/a", 2)];
  values.add([first]);
  values.add([second]);
  values.remove([first]);
  expect(values.known("/a", Uint8Array.of(2))).toBe(second.value);
});
