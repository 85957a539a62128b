import { PodCertificateRequest } from "../../api/certificates/v1beta1/pod-certificate-request.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";

const minute = 60_000;
const periodMs = 5 * minute;
/** A request is answered sooner than that, or never. */
const keptMs = 15 * minute;

/** Deletes the certificate requests of pods some time after they were made, answered or not. */
export const podCertificateCleanerController = queueController({
  name: "podcertificaterequest-cleaner-controller",
  setUp(ctx) {
    const { client, clock, log, signal } = ctx;
    const requests = ctx.informer(PodCertificateRequest);
    ctx.every(periodMs, {
      startsAtOnce: true,
      failure: "cleaning certificate requests of pods failed",
      async work() {
        for (const request of requests.list()) {
          const { uid, creationTimestamp } = request.metadata;
          if (clock.now() < Date.parse(creationTimestamp ?? "") + keptMs) continue;
          const preconditions = { uid };
          await client
            .delete(PodCertificateRequest, keyOf(request), { preconditions, signal })
            .catch((error: unknown) => {
              if (StatusError.is(error, "NotFound")) return;
              const message = "deleting a certificate request of a pod failed";
              logFailure(log, message, error, { request: formatKey(keyOf(request)) });
            });
        }
      },
    });
  },
});
