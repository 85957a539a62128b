import { expect, test } from "vitest";
import { CpuRates } from "./cpu-rates.ts";

test("CpuRates: the rate between two samples of a counter", () => {
  const rates = new CpuRates();
  const rate = (id: string, at: number, ms: number): number =>
    rates.of(id, at, BigInt(ms) * 1_000_000n);
  expect(rate("a", 1000, 100)).toBe(0);
  expect(rate("b", 1500, 0)).toBe(0);
  expect(rate("a", 2000, 600)).toBe(500_000_000);
  // Too soon.
  expect(rate("a", 2500, 700)).toBe(500_000_000);
  expect(rate("a", 4000, 800)).toBe(100_000_000);
  // It was restarted.
  expect(rate("a", 5000, 10)).toBe(0);
  expect(rate("a", 6000, 1010)).toBe(1_000_000_000);
  rates.forget("a");
  expect(rate("a", 7000, 2000)).toBe(0);
  // The sample of b is too old.
  expect(rate("a", 700_000, 2000)).toBe(0);
  expect(rate("b", 701_000, 60_000)).toBe(0);
});
