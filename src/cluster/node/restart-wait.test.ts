import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { restartWait } from "./restart-wait.ts";

each<[title: string, waitedMs: number, ranMs: number, waitMs: number]>([
  ["the first end", 0, 100, 200],
  ["an early end after another", 200, 100, 400],
  ["many early ends", 8000, 4000, 10_000],
  ["an end after a while", 10_000, 5000, 200],
])("restartWait: %s", (_title, waitedMs, ranMs, waitMs) => {
  expect(restartWait(waitedMs, ranMs)).toBe(waitMs);
});
