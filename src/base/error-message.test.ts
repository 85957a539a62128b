import { expect, test } from "vitest";
import { errorMessage } from "./error-message.ts";

test.each([
  [new Error("a", { cause: new TypeError("b", { cause: "c" }) }), "a: b: c"],
  [new TypeError(), "TypeError"],
  ["text", "text"],
  [null, "null"],
])("errorMessage: %s", (error, expected) => {
  expect(errorMessage(error)).toBe(expected);
});

test("errorMessage: a cause that is its own cause ends", () => {
  const error = new Error("a");
  error.cause = error;
  expect(errorMessage(error)).toBe(Array.from({ length: 8 }, () => "a").join(": "));
});
