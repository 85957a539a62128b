import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { TokenCacheMetrics } from "../metrics/token-cache-metrics.ts";
import { cachedTokens } from "./cached-tokens.ts";
import { type Authenticated, type Refused, refused } from "./token-authenticator.ts";

const jane = { user: { name: "jane", groups: [] }, audiences: ["api"] } as unknown as Authenticated;

test("cachedTokens: reviews are shared and kept, errors are not, and all are counted", async () => {
  const clock = new VirtualClock();
  const registry = new MetricsRegistry();
  const pending: ((outcome: Authenticated | Refused) => void)[] = [];
  const reviewed = { authenticate: () => new Promise<never>((r) => pending.push(r as never)) };
  const tokens = cachedTokens(reviewed, {
    ttlMs: 60_000,
    clock,
    ticks: () => clock.now(),
    sha256: (text) => new TextEncoder().encode(text),
    metrics: new TokenCacheMetrics(registry),
  });
  const counted = () =>
    registry
      .text()
      .split("\n")
      .filter((line) => /^authentication_token_cache_(?!.*seconds_(?:bucket|sum))/.test(line))
      .map((line) => line.slice("authentication_token_cache_".length));
  const [first, second] = [tokens.authenticate("a", ["api"]), tokens.authenticate("a", ["api"])];
  expect(pending).toHaveLength(1);
  expect(counted()).toEqual([
    'active_fetch_count{status="blocked"} 1',
    'active_fetch_count{status="in_flight"} 1',
  ]);
  pending.pop()?.(jane);
  expect(await Promise.all([first, second])).toEqual([jane, jane]);
  expect(await tokens.authenticate("a", ["api"])).toBe(jane);
  const bad = tokens.authenticate("b", ["api"]);
  pending.pop()?.(refused("odd"));
  expect(await bad).toEqual({ errors: ["odd"] });
  void tokens.authenticate("b", ["api"]);
  expect(pending).toHaveLength(1);
  expect(counted()).toEqual([
    'active_fetch_count{status="blocked"} 0',
    'active_fetch_count{status="in_flight"} 1',
    'fetch_total{status="error"} 1',
    'fetch_total{status="ok"} 1',
    'request_duration_seconds_count{status="hit"} 1',
    'request_duration_seconds_count{status="miss"} 3',
    'request_total{status="hit"} 1',
    'request_total{status="miss"} 3',
  ]);
});
