import type { AdmissionResponse } from "../../../api/admission/v1/admission-review.ts";
import { internalError, StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Log } from "../../../base/log.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { WebhookMetrics } from "../../metrics/webhook-metrics.ts";
import { type CallParts, callWebhook, type Question } from "./call-webhook.ts";
import { denial } from "./denial.ts";
import { type RequestEnd, WebhookFailure } from "./webhook-failure.ts";

/** What consulting webhooks needs of the server. */
export interface ConsultingParts extends CallParts {
  readonly metrics: WebhookMetrics;
  /** Milliseconds of a monotonic clock. */
  readonly ticks: () => number;
  readonly log: Log;
}

export interface Consultation extends Question {
  /** Called when the webhook fails, and its failurePolicy is to ignore that. */
  readonly onFailOpen: () => void;
}

/**
 * Asks a webhook about a request, and returns what `use` makes of a response that allows it; undefined if the webhook
 * fails and that is ignored. Throws a StatusError that ends the request.
 */
export async function consultWebhook<T>(
  parts: ConsultingParts,
  consultation: Consultation,
  use: (response: AdmissionResponse) => T,
): Promise<T | undefined> {
  const begun = parts.ticks();
  const outcome = await outcomeOf(parts, consultation, use);
  observe(parts, consultation, { outcome, seconds: (parts.ticks() - begun) / 1000 });
  switch (outcome.type) {
    case "allowed":
      return outcome.value;
    case "failed":
      return fail(parts, consultation, outcome.error);
    default:
      throw outcome.error;
  }
}

type Outcome<T> =
  | { readonly type: "allowed"; readonly value: T }
  | { readonly type: "denied"; readonly error: StatusError }
  | { readonly type: "failed"; readonly error: WebhookFailure }
  /** An error that no failurePolicy covers. */
  | { readonly type: "broken"; readonly error: unknown };

async function outcomeOf<T>(
  parts: ConsultingParts,
  question: Question,
  use: (response: AdmissionResponse) => T,
): Promise<Outcome<T>> {
  try {
    const response = await callWebhook(parts, question);
    if (response.allowed) return { type: "allowed", value: use(response) };
    return { type: "denied", error: denial(question.ready.webhook.name, response.status) };
  } catch (error) {
    return error instanceof WebhookFailure ? { type: "failed", error } : { type: "broken", error };
  }
}

const failsOpen = ({ ready }: Question): boolean => ready.webhook.failurePolicy === "Ignore";

function observe(
  { metrics }: ConsultingParts,
  question: Question,
  { outcome, seconds }: { readonly outcome: Outcome<unknown>; readonly seconds: number },
): void {
  const { ready, request, isMutating } = question;
  const call = {
    name: ready.webhook.name,
    type: isMutating ? "admit" : "validating",
    operation: request.attributes.operation,
  };
  switch (outcome.type) {
    case "allowed":
      metrics.called(call, { code: 200, rejected: false, seconds });
      break;
    case "denied":
      metrics.called(call, { code: outcome.error.code, rejected: true, seconds });
      metrics.rejected(call, "no_error", outcome.error.code);
      break;
    case "broken":
      metrics.called(call, { code: 0, rejected: true, seconds });
      metrics.rejected(call, "apiserver_internal_error", 0);
      break;
    case "failed": {
      const { code, end } = outcome.error;
      const rejected = !failsOpen(question);
      metrics.called(call, { code, rejected, seconds });
      if (end === "context canceled") break;
      if (rejected) metrics.rejected(call, "calling_webhook_error", code);
      else metrics.failedOpen(call);
    }
  }
}

function fail(
  { log }: ConsultingParts,
  consultation: Consultation,
  failure: WebhookFailure,
): undefined {
  const { name } = consultation.ready.webhook;
  const isIgnored = failsOpen(consultation);
  if (isIgnored && failure.end !== "context canceled") {
    log.warn("a webhook failed, which is ignored", { webhook: name, error: failure.message });
    consultation.onFailOpen();
  }
  if (failure.end) throw requestOver(failure.end);
  if (isIgnored) return undefined;
  throw internalError(
    new Error(`failed calling webhook ${quote(name)}: ${failure.message}`, { cause: failure }),
  );
}

/** The error for a request that ended while a webhook was called. */
const requestOver = (end: RequestEnd): StatusError =>
  new StatusError(
    "Timeout",
    `Timeout: request did not complete within requested timeout - ${end}`,
    { details: {} },
  );
