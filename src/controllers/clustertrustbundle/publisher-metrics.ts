import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";

/** Runs work, and records its outcome and duration in upstream's metrics. */
export function publisherMetrics({
  metrics,
  ticks,
}: Pick<RunnableContext, "metrics" | "ticks">): (work: () => Promise<void>) => Promise<void> {
  const subsystem = "clustertrustbundle_publisher";
  const syncs = metrics.counter({
    name: `${subsystem}_sync_total`,
    help: "Number of syncs that occurred in cluster trust bundle publisher.",
    stability: "ALPHA",
    labels: ["code"],
  });
  const latency = metrics.histogram({
    name: `${subsystem}_sync_duration_seconds`,
    help: "The time it took to sync a cluster trust bundle.",
    stability: "ALPHA",
    labels: ["code"],
    buckets: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
  });
  return async (work) => {
    const start = ticks();
    let code = "200";
    try {
      await work();
    } catch (error) {
      code = String((error instanceof StatusError && error.code) || 500);
      throw error;
    } finally {
      syncs.of(code).add(1);
      latency.of(code).observe((ticks() - start) / 1000);
    }
  };
}
