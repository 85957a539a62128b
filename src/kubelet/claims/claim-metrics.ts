import { type Clock, ticksOf } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { NodeClaim } from "./node-claim.ts";

/** Measures what the claims of a node cost. */
export interface ClaimMetrics {
  /** Measures an operation for a pod. */
  measured<T>(
    operation: "PrepareResources" | "UnprepareResources",
    work: () => Promise<T>,
  ): Promise<T>;
  /** A driver was called. */
  called(driver: string, method: string, code: string, seconds: number): void;
}

/** Registers the metrics of claims. */
export function createClaimMetrics(
  metrics: Metrics,
  clock: Clock,
  claims: () => readonly NodeClaim[],
): ClaimMetrics {
  const operations = metrics.histogram({
    name: "dra_operations_duration_seconds",
    help: "Latency histogram in seconds for the duration of handling all ResourceClaims referenced by a pod when the pod starts or stops. Identified by the name of the operation (PrepareResources or UnprepareResources) and separated by the success of the operation. The number of failed operations is provided through the histogram's overall count.",
    stability: "ALPHA",
    labels: ["operation_name", "is_error"],
    buckets,
  });
  const calls = metrics.histogram({
    name: "dra_grpc_operations_duration_seconds",
    help: "Duration in seconds of the DRA gRPC operations",
    stability: "ALPHA",
    labels: ["driver_name", "method_name", "grpc_status_code"],
    buckets,
  });
  const inUse = metrics.gauge({
    name: "dra_resource_claims_in_use",
    help: "The number of ResourceClaims that are currently in use on the node, by driver name (driver_name label value) and across all drivers (special value <any> for driver_name). Note that the sum of all by-driver counts is not the total number of in-use ResourceClaims because the same ResourceClaim might use devices from different drivers. Instead, use the count for the <any> driver_name.",
    stability: "ALPHA",
    labels: ["driver_name"],
  });
  metrics.onRead(() => {
    inUse.reset();
    for (const [driver, count] of claimsInUse(claims())) inUse.of(driver).set(count);
  });
  const ticks = ticksOf(clock);
  return {
    async measured(operation, work) {
      const began = ticks();
      let isError = true;
      try {
        const result = await work();
        isError = false;
        return result;
      } finally {
        operations.of(operation, String(isError)).observe((ticks() - began) / 1000);
      }
    },
    called: (driver, method, code, seconds) => calls.of(driver, method, code).observe(seconds),
  };
}

/** How many prepared claims each driver has, and how many there are at all. */
function claimsInUse(claims: readonly NodeClaim[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const prepared = claims.filter(({ isPrepared }) => isPrepared);
  for (const { drivers } of prepared)
    for (const driver of drivers.keys()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts.set("<any>", prepared.length);
}

/** Fifteen bounds from 0.1 to 40, each the same multiple of the one before. */
const growth = (40 / 0.1) ** (1 / 14);
const buckets = Array.from({ length: 15 }, (_, i) => 0.1 * growth ** i);
