import { expect, test } from "vitest";
import { gvk, reviewVersionOf } from "./returned-review.ts";

test("reviewVersionOf: the first that is known", () => {
  expect(reviewVersionOf(["v3", "v1beta1", "v1"])).toBe("v1beta1");
  expect(reviewVersionOf(["v3"])).toBeUndefined();
});

test("gvk: with and without a group", () => {
  expect([gvk("a/v1", "K"), gvk("v1", "K"), gvk("", "")]).toEqual([
    "a/v1, Kind=K",
    "/v1, Kind=K",
    "/, Kind=",
  ]);
});
