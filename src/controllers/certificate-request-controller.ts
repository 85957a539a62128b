import { CertificateSigningRequest } from "../api/certificates/v1/certificate-signing-request.ts";
import {
  type CertificateRequest,
  readCertificateRequest,
} from "../api/certificates/x509/certificate-request.ts";
import { decodeBase64 } from "../base/base64.ts";
import { controllerRateLimiter } from "../base/queue/rate-limiter.ts";
import { formatKey, keyOf, parseKey } from "../client/resource-kind.ts";
import type { Runnable } from "../controller-runtime/manager/manager-options.ts";
import {
  type QueueControllerContext,
  queueController,
} from "../controller-runtime/reconcile/queue-controller.ts";

export interface CertificateRequestOptions {
  readonly name: string;
  /** Works on a request that has no certificate yet. */
  handle(csr: CertificateSigningRequest, ctx: QueueControllerContext): Promise<void>;
}

/** Thrown for a request that is tried again later, and for which mostly a user is to blame. */
export class IgnorableError extends Error {
  override readonly name = "IgnorableError";
}

/** A controller that works on certificate requests until they have a certificate. */
export const certificateRequestController = ({
  name,
  handle,
}: CertificateRequestOptions): Runnable =>
  queueController({
    name,
    setUp(ctx) {
      const requests = ctx.informer(CertificateSigningRequest);
      const queue = ctx.queue<string>({
        name,
        workers: 5,
        limiter: controllerRateLimiter(ctx.clock, { base: 200 }),
        failure: "working on a certificate request failed",
        logFields: (csr) => ({ csr }),
        isQuiet: (error) => error instanceof IgnorableError,
        async work(key) {
          const csr = requests.get(parseKey(key));
          if (csr && (csr.status.certificate ?? "") === "") await handle(csr, ctx);
        },
      });
      const enqueue = (csr: CertificateSigningRequest): void => queue.add(formatKey(keyOf(csr)));
      ctx.onSynced(
        () => void requests.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue }),
      );
    },
  });

/** The parsed request of an object. */
export function requestOf({ metadata, spec }: CertificateSigningRequest): CertificateRequest {
  try {
    return readCertificateRequest(decodeBase64(spec.request ?? ""));
  } catch (cause) {
    throw new Error(`unable to parse csr "${metadata.name}"`, { cause });
  }
}
