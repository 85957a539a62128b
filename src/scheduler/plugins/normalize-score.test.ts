import { expect, test } from "vitest";
import { normalizeScore } from "./normalize-score.ts";

test.each([
  [[1, 2, 4], false, [25, 50, 100]],
  [[1, 2, 4], true, [75, 50, 0]],
  [[0, 0], false, [0, 0]],
  [[0, 0], true, [100, 100]],
])("normalizeScore: %j, reverse %s → %j", (values, reverse, expected) => {
  const scores = [...values];
  normalizeScore({ nodes: [], values: scores }, reverse);
  expect(scores).toEqual(expected);
});
