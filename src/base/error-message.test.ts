import { expect, test } from "vitest";
import { errorMessage } from "./error-message.ts";

test.each([
  [new Error("a", { cause: new TypeError("b", { cause: "c" }) }), "a: b: c"],
  [new Error("a: b", { cause: new Error("b", { cause: new Error("b") }) }), "a: b"],
  [new Error("ab", { cause: "b" }), "ab: b"],
  [new TypeError(), "TypeError"],
  ["text", "text"],
  [null, "null"],
])("errorMessage: %s", (error, expected) => {
  expect(errorMessage(error)).toBe(expected);
});

test("errorMessage: a cause that is its own cause ends", () => {
  const [a, b] = [new Error("a"), new Error("b")];
  a.cause = b;
  b.cause = a;
  expect(errorMessage(a)).toBe("a: b: a: b: a: b: a: b");
});
