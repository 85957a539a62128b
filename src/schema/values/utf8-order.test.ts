import { expect, test } from "vitest";
import { compareUtf8 } from "./utf8-order.ts";

test("compareUtf8: strings are in the order of their bytes", () => {
  const strings = ["", "0", "10", "9", "A", "_", "a", "aa", "b", "é", "\uffff", "\u{10000}", "😀"];
  const byBytes = [...strings].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect([...strings].reverse().sort(compareUtf8)).toEqual(byBytes);
});
