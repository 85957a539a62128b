import { expect, test } from "vitest";
import { DemandIntegrator, nextDemand, noDemand } from "./seat-demand.ts";

test("DemandIntegrator: the average and deviation over time, and the most, of each period", () => {
  const integrator = new DemandIntegrator(100);
  integrator.set(4, 101);
  integrator.set(0, 102);
  const { seconds, average, deviation, most } = integrator.endPeriod(104);
  expect([seconds, average, most]).toEqual([4, 1, 4]);
  expect(deviation).toBeCloseTo(Math.sqrt(3));
  expect(integrator.endPeriod(105)).toEqual({ seconds: 1, average: 0, deviation: 0, most: 0 });
});

test("nextDemand: growth is followed at once, and what shrinks is remembered for some periods", () => {
  const period = { seconds: 10, average: 10, deviation: 2, most: 20.4 };
  const busy = nextDemand(noDemand, period);
  expect(busy).toEqual({ average: 10, deviation: 2, highWatermark: 20, smoothed: 12 });
  const idle = { seconds: 10, average: 0, deviation: 0, most: 0 };
  const after = nextDemand(nextDemand(busy, idle), idle);
  expect(after.smoothed).toBeCloseTo(12 * 0.977 ** 2);
  expect(nextDemand(busy, { ...idle, seconds: 20 }, 2).smoothed).toBeCloseTo(after.smoothed);
});
