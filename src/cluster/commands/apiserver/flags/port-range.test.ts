import { expect, test } from "vitest";
import { readPortRange } from "./port-range.ts";

test.each([
  ["30000-32767", { first: 30000, last: 32767 }],
  [" 30000+10 ", { first: 30000, last: 30010 }],
  ["30000", { first: 30000, last: 30000 }],
  ["0-65535", { first: 0, last: 65535 }],
  ["", undefined],
])("readPortRange: %j", (text, range) => {
  expect(readPortRange(text)).toEqual(range);
});
