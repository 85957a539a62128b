import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { amountAt, firstAbove, parseUsageCurve, totalSince } from "./usage-curve.ts";

const hour = 3_600_000;
const curve = (text: string) => {
  const found = parseUsageCurve(text);
  if (!found) throw new Error(`not a curve: ${text}`);
  return found;
};

each<[text: string, startedAt: number, now: number, amount: number, total: number]>([
  ["250m", 5 * hour, 9 * hour, 0.25, hour],
  ["0s=1 1h=3", 5 * hour, 5 * hour, 1, 0],
  ["0s=1 1h=3", 5 * hour, 5.5 * hour, 2, 0.75 * hour],
  ["0s=1 1h=3", 5 * hour, 7 * hour, 3, 5 * hour],
  ["1h=2 2h=4", 0, 0.5 * hour, 2, hour],
  ["0s=0 12h=4 24h=0 repeat", 0, 36 * hour, 4, 72 * hour],
  ["0s=0 12h=4 24h=0 repeat", 24 * hour, 48 * hour, 0, 48 * hour],
  ["0s=0 12h=4 24h=0 repeat", 6 * hour, 12 * hour, 4, 18 * hour],
])("usage curve: %s from %i to %i", (text, startedAt, now, amount, total) => {
  expect(amountAt(curve(text), { startedAt, now })).toBeCloseTo(amount);
  expect(totalSince(curve(text), { startedAt, now })).toBeCloseTo(total);
});

test("parseUsageCurve: rejects times that do not grow, and what is no amount", () => {
  for (const wrong of [
    "",
    "1h",
    "1h=x",
    "2h=1 1h=1",
    "1h=1=1",
    "repeat",
    "0s=1 repeat",
    "1h=1 often",
  ])
    expect(parseUsageCurve(wrong), wrong).toBeUndefined();
  expect(parseUsageCurve("0s=1 1h=2 shared")?.isShared).toBe(true);
  expect(firstAbove(curve("0s=1 1h=3"), 2)).toBe(hour / 2);
  expect(firstAbove(curve("3"), 2)).toBe(0);
  expect(firstAbove(curve("0s=1 1h=3"), 3)).toBeUndefined();
});
