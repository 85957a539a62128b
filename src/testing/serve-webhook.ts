/// <reference lib="esnext.disposable" preserve="true" />
import type { AdmissionRequest } from "../api/admission/v1/admission-review.ts";
import type { AcceptStreams } from "../base/network.ts";
import { webhookHandler } from "../cluster/extension/webhook-server.ts";
import { serveStream } from "../cluster/in-process/serve-stream.ts";
import { reviewResponder } from "../controller-runtime/webhooks/respond-to-review.ts";
import type { AdmissionDecision } from "../controller-runtime/webhooks/webhook-definition.ts";

/** A function that is called for the requests that a webhook reviews. */
export type WebhookFunction = (
  request: AdmissionRequest,
) => AdmissionDecision | Promise<AdmissionDecision>;

/** A webhook that the API server of the test can call, until it is disposed of. */
export interface ServedWebhook extends Disposable {
  /** For the `clientConfig` of a webhook. */
  readonly url: string;
}

/**
 * Serves a function as a webhook to an API server of the same process, without sockets and certificates. An error that
 * it throws denies the request.
 */
export function serveWebhook(accept: AcceptStreams, decide: WebhookFunction): ServedWebhook {
  const endpoint = {
    reviews: "admission",
    handle: async (request: AdmissionRequest) => decide(request),
  } as const;
  const respond = reviewResponder(new Map([["/", endpoint]]), () => {});
  const served = { handler: webhookHandler(respond), peer: undefined };
  const { host, close } = accept((stream) => void serveStream(stream, served));
  return { url: `https://${host}`, [Symbol.dispose]: close };
}
