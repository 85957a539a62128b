import { StatusError } from "../../api/meta/v1/status-error.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { ResourcePoolStatusRequest } from "../../api/resource/v1alpha3/resource-pool-status-request.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { isIncomplete, poolStatus } from "./pool-status.ts";
import { isExpired } from "./request-expiry.ts";

/** After this many retries a request stays without an answer. */
const mostRetries = 5;
const cleaningPeriodMs = 10 * 60_000;

/** Answers requests for the number of devices in pools once, and deletes them some time later. */
export const resourcePoolStatusController = queueController({
  name: "resourcepoolstatusrequest-controller",
  setUp(ctx) {
    const { client, clock, log, signal, ticks } = ctx;
    const requests = ctx.informer(ResourcePoolStatusRequest);
    const slices = ctx.informer(ResourceSlice);
    const claims = ctx.informer(ResourceClaim);
    const counts = requestMetrics(ctx.metrics);

    /** Returns false if slices are still missing. */
    const answer = async (request: ResourcePoolStatusRequest): Promise<boolean> => {
      const { driver } = request.spec;
      const since = ticks();
      const now = formatTime(timeFromMillis(clock.now()));
      const inventory = { slices: slices.list(), claims: claims.list(), now };
      const status = poolStatus(request.spec, inventory);
      if (status.pools?.some(isIncomplete)) return false;
      try {
        await client.update(
          ResourcePoolStatusRequest,
          { ...request, status },
          { subresource: "status", signal },
        );
      } catch (error) {
        counts.errors.of(driver).add(1);
        throw error;
      } finally {
        counts.processed.of(driver).add(1);
        counts.seconds.of(driver).observe((ticks() - since) / 1000);
      }
      return true;
    };

    const queue: RateLimitingQueue<string> = ctx.queue({
      name: "resourcepoolstatusrequest_controller",
      workers: 1,
      failure: "answering a request for the status of pools failed",
      logFields: (request) => ({ request }),
      async work(name) {
        const request = requests.get({ name });
        if (!request || request.status) return "done";
        const mayRetry = queue.requeues(name) < mostRetries;
        try {
          if (await answer(request)) return "done";
        } catch (error) {
          if (mayRetry) throw error;
          logFailure(log, "a request for the status of pools is given up", error, {
            request: name,
          });
        }
        return mayRetry ? "retry" : "done";
      },
    });
    const enqueue = ({ metadata, status }: ResourcePoolStatusRequest): void => {
      if (!status) queue.add(metadata.name ?? "");
    };
    ctx.onSynced(() => void requests.addHandler({ added: enqueue, updated: enqueue }));
    ctx.every(cleaningPeriodMs, {
      startsAtOnce: true,
      failure: "deleting old requests for the status of pools failed",
      async work() {
        for (const request of requests.list()) {
          if (!isExpired(request, clock.now())) continue;
          const preconditions = { uid: request.metadata.uid };
          await client
            .delete(ResourcePoolStatusRequest, keyOf(request), { preconditions, signal })
            .catch((error: unknown) => {
              if (StatusError.is(error, "NotFound")) return;
              logFailure(log, "deleting a request for the status of pools failed", error, {
                request: request.metadata.name,
              });
            });
        }
      },
    });
  },
});

function requestMetrics(metrics: Metrics) {
  const prefix = "resourcepoolstatusrequest_controller";
  const labels = ["driver_name"];
  return {
    processed: metrics.counter({
      name: `${prefix}_requests_processed_total`,
      help: "Requests for the status of pools that were processed.",
      stability: "ALPHA",
      labels,
    }),
    errors: metrics.counter({
      name: `${prefix}_request_processing_errors_total`,
      help: "Requests for the status of pools whose processing failed.",
      stability: "ALPHA",
      labels,
    }),
    seconds: metrics.histogram({
      name: `${prefix}_request_processing_duration_seconds`,
      help: "How long processing a request for the status of pools took.",
      stability: "ALPHA",
      labels,
      buckets: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
    }),
  };
}
