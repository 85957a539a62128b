import { expect, test } from "vitest";
import { CpuRates } from "./cpu-rates.ts";

const usage = (at: number, ms: number, cpuNanoCores = 0) => ({
  at,
  cpuCoreNanoSeconds: BigInt(ms) * 1_000_000n,
  cpuNanoCores,
  memoryWorkingSetBytes: 0,
  memoryUsageBytes: 0,
  memoryRssBytes: 0,
});

test("CpuRates: the rate between two samples of a container", () => {
  const rates = new CpuRates();
  const rate = (id: string, at: number, ms: number, told?: number): number =>
    rates.add(id, usage(at, ms, told)).cpuNanoCores;
  expect(rate("a", 1000, 100)).toBe(0);
  expect(rate("b", 1500, 0)).toBe(0);
  expect(rate("a", 2000, 600)).toBe(500_000_000);
  expect(rate("a", 2000, 600)).toBe(0);
  expect(rate("a", 4000, 800)).toBe(100_000_000);
  // It was restarted.
  expect(rate("a", 5000, 10)).toBe(0);
  expect(rate("a", 6000, 1010)).toBe(1_000_000_000);
  expect(rate("a", 7000, 5000, 7)).toBe(7);
  expect(rate("b", 700_000, 60_000)).toBe(85_898_354);
});
