import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { isAbandoned } from "./is-abandoned.ts";

const periodMs = 3_600_000;

/** Deletes certificate requests that nobody needs any more: once an hour. */
export const csrCleanerController = queueController({
  name: "certificatesigningrequest-cleaner-controller",
  setUp(ctx) {
    const { client, clock, log, signal } = ctx;
    const requests = ctx.informer(CertificateSigningRequest);
    ctx.every(periodMs, {
      startsAtOnce: true,
      failure: "cleaning certificate requests failed",
      async work() {
        for (const csr of requests.list()) {
          if (!isAbandoned(csr, clock.now())) continue;
          const csrName = csr.metadata.name;
          log.info("deleting an old certificate request", { csr: csrName });
          await client
            .delete(CertificateSigningRequest, keyOf(csr), { signal })
            .catch((error: unknown) => {
              const message = "deleting a certificate request failed";
              logFailure(log, message, error, { csr: csrName });
            });
        }
      },
    });
  },
});
