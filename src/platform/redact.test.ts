import { expect, test } from "vitest";
import { redact } from "./redact.ts";

const circle: Record<string, unknown> = { name: "a" };
circle.self = circle;

test.each([
  [
    { key: "default/web", name: "web" },
    { key: "default/web", name: "web" },
  ],
  [
    { access_token: "x", refreshToken: "x" },
    { access_token: "[redacted]", refreshToken: "[redacted]" },
  ],
  [{ tokens: 3 }, { tokens: 3 }],
  ["basic facts", "basic [redacted]"],
  [10n, "10"],
  [circle, { name: "a", self: "[…]" }],
  [new Uint8Array(3), "[3 bytes]"],
  [
    [null, undefined, 1, true],
    [null, undefined, 1, true],
  ],
])("redact: %o", (value, expected) => {
  expect(redact(value)).toEqual(expected);
});
