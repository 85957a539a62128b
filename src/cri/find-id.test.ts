import { expect, test } from "vitest";
import { findId } from "./find-id.ts";

const ids = new Map(["abc1", "abc2", "d", "de"].map((id) => [id, true]));

test.each([
  ["abc1", "abc1"],
  ["d", "d"],
  ["de", "de"],
  ["x", undefined],
  ["", undefined],
  ["abc12", undefined],
])("findId: %j", (wanted, found) => {
  expect(findId(ids, wanted)).toBe(found);
});

test("findId: a prefix of several IDs is an error", () => {
  expect(() => findId(ids, "abc")).toThrow("multiple IDs found with provided prefix: abc");
});
