import { expect, test } from "vitest";
import { fnv128a } from "./fnv128a.ts";

test.each([
  ["", "6c62272e07bb014262b821756295c58d"],
  ["a", "d228cb696f1a8caf78912b704e4a8964"],
  ["foobar", "343e1662793c64bf6f0d3597ba446f18"],
])("fnv128a of %j is %s", (text, hash) => {
  expect(fnv128a(text)).toBe(hash);
});

test("fnv128a multiplies and adds as whole numbers do", () => {
  const prime = 2n ** 88n + 0x13bn;
  let expected = 0x6c62272e07bb014262b821756295c58dn;
  const text = "endpoints ä 漢 ".repeat(40);
  for (const byte of new TextEncoder().encode(text))
    expected = ((expected ^ BigInt(byte)) * prime) % 2n ** 128n;
  expect(fnv128a(text)).toBe(expected.toString(16).padStart(32, "0"));
});
