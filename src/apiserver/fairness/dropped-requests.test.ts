import { expect, test } from "vitest";
import { DroppedRequests } from "./dropped-requests.ts";

test("DroppedRequests: clients wait longer while many are rejected, up to 32 seconds, and less after that", () => {
  const dropped = new DroppedRequests();
  const seen: number[] = [];
  for (let second = 1000; second < 1100; second++) {
    for (let i = 0; i < 10; i++) dropped.record(second);
    if (seen.at(-1) !== dropped.retryAfter) seen.push(dropped.retryAfter);
  }
  expect(seen).toEqual([1, 2, 4, 8, 16, 32]);
  for (let second = 1200; second < 1200 + 31 * 100; second += 100) dropped.record(second);
  expect(dropped.retryAfter).toBe(1);
});
