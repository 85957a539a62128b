import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { TimedRatio } from "./timed-ratio.ts";

test("TimedRatio: each nanosecond is an observation of the ratio that was there", () => {
  const registry = new MetricsRegistry();
  let now = 0;
  const histogram = registry.histogram({ name: "used", help: "", buckets: [0, 0.5, 1] }).of();
  const ratio = new TimedRatio(histogram, () => now);
  ratio.setLimit(4);
  now += 1;
  ratio.add(2);
  now += 2;
  ratio.add(2);
  ratio.setLimit(2);
  now += 3;
  ratio.observe();
  expect(registry.text().split("\n").slice(2, -1)).toEqual([
    'used_bucket{le="0"} 1e+06',
    'used_bucket{le="0.5"} 3e+06',
    'used_bucket{le="1"} 3e+06',
    'used_bucket{le="+Inf"} 6e+06',
    "used_sum 7e+06",
    "used_count 6e+06",
  ]);
});
