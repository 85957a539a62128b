import type { CustomResourceDefinition } from "../../../api/apiextensions/v1/custom-resource-definition.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { gvk, reviewVersionOf } from "../../connect/webhooks/returned-review.ts";
import type { WebhookClient } from "../../connect/webhooks/webhook-client.ts";
import { webhookLocation } from "../../connect/webhooks/webhook-location.ts";
import type { ConversionMetrics } from "../../metrics/conversion-metrics.ts";
import { ConversionFailure, conversionReview, returnedObjects } from "./conversion-review.ts";
import { convertedObject } from "./converted-object.ts";

/** What calls of conversion webhooks need of the server. */
export interface ConversionParts {
  readonly webhooks: Pick<WebhookClient, "post">;
  readonly metrics: ConversionMetrics;
  /** Milliseconds of a monotonic clock. */
  readonly ticks: () => number;
  readonly uuid: () => string;
}

/** The time that a webhook has for a conversion. */
const timeoutMs = 30_000;

/**
 * Converts objects, all of the same version, by the webhook of their definition. Throws a Status whose message is
 * upstream's.
 */
export async function convertByWebhook(
  parts: ConversionParts,
  definition: CustomResourceDefinition,
  { objects, desiredVersion }: { objects: readonly object[]; desiredVersion: string },
): Promise<readonly object[]> {
  const started = parts.ticks();
  const { apiVersion = "" } = (objects[0] ?? {}) as { readonly apiVersion?: string };
  let failure: string | undefined;
  try {
    return await converted(parts, definition, { objects, desiredVersion, apiVersion });
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    failure = error.type;
    throw new StatusError("", error.message, { cause: error });
  } finally {
    parts.metrics.observe({
      definition: definition.metadata.name ?? "",
      from: versionIn(apiVersion),
      to: versionIn(desiredVersion),
      seconds: (parts.ticks() - started) / 1000,
      failure,
    });
  }
}

const versionIn = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf("/") + 1);

interface Wanted {
  readonly objects: readonly object[];
  readonly desiredVersion: string;
  readonly apiVersion: string;
}

async function converted(
  parts: ConversionParts,
  { spec }: CustomResourceDefinition,
  { objects, desiredVersion, apiVersion }: Wanted,
): Promise<readonly object[]> {
  const { webhook } = spec.conversion ?? {};
  const reviewVersion = reviewVersionOf(webhook?.conversionReviewVersions ?? []);
  if (!webhook?.clientConfig || reviewVersion === undefined)
    throw new StatusError("", "no supported conversion review versions");
  const uid = parts.uuid();
  const body = conversionReview({ uid, reviewVersion, desiredVersion, objects });
  const { kind } = objects[0] as { readonly kind: string };
  const subject = `conversion webhook for ${gvk(apiVersion, kind)}`;
  const called = (type: ConversionFailure["type"], cause: unknown): ConversionFailure => {
    const message = cause instanceof Error ? cause.message : String(cause);
    return new ConversionFailure(type, `${subject} failed: ${message}`, cause);
  };
  const text = await Promise.resolve()
    .then(() => webhookLocation(trimmed(webhook.clientConfig ?? {})))
    .then((location) => parts.webhooks.post({ webhook: location, body, timeoutMs }))
    .catch((error: unknown) => {
      throw called("conversion_webhook_call_failure", error);
    });
  const returned = read(() => returnedObjects(text, { uid, reviewVersion }), called);
  if (returned.length !== objects.length)
    throw new ConversionFailure(
      "conversion_webhook_partial_response_failure",
      `${subject} returned ${returned.length} objects, expected ${objects.length}`,
    );
  return returned.map((item, i) =>
    convertedObject(item, { original: objects[i] as ReadonlyJsonMap, desiredVersion, subject }),
  );
}

function read<T>(
  run: () => T,
  called: (type: ConversionFailure["type"], cause: unknown) => ConversionFailure,
): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ConversionFailure ? called(error.type, error) : error;
  }
}

type ClientConfig = Parameters<typeof webhookLocation>[0];

/** Upstream takes a bundle of white space for none. */
const trimmed = (config: ClientConfig): ClientConfig =>
  config.caBundle && atob(config.caBundle).trim() === "" ? { ...config, caBundle: "" } : config;
