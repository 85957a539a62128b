import { expect, test } from "vitest";
import { isHostPort } from "./host-port.ts";

test.each([
  ["a:1", true],
  [":", true],
  ["[::1]:80", true],
  ["a", false],
  ["::1:80", false],
  ["[::1]", false],
  ["[a]b:80", false],
  ["a[b]:80", false],
  ["[[a]:80", false],
  ["a:8]", false],
])("isHostPort: %s is %s", (text, expected) => {
  expect(isHostPort(text)).toBe(expected);
});
