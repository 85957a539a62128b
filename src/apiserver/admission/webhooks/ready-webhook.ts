import type {
  MutatingWebhook,
  ValidatingWebhook,
} from "../../../api/admissionregistration/v1/webhook.ts";
import type { Metrics } from "../../../base/metrics.ts";
import { type WebhookLocation, webhookLocation } from "../../connect/webhooks/webhook-location.ts";
import {
  type ConditionsOwner,
  MatchConditionMetrics,
} from "../../metrics/match-condition-metrics.ts";
import type { KindOf, Reader } from "../../objects/reader.ts";
import { type MatchConditions, matchConditions } from "../expressions/match-conditions.ts";
import {
  type MatchingSetup,
  type RequestMatcher,
  requestMatcher,
} from "../matching/request-matcher.ts";
import type { Reinvocable } from "../mutating/reinvocation.ts";

/** A webhook of either kind; those that may change objects can ask to be called again. */
export type AnyWebhook = ValidatingWebhook & Partial<Pick<MutatingWebhook, "reinvocationPolicy">>;

/** A webhook with all that is derived from its configuration, which is done once. */
export interface ReadyWebhook extends Reinvocable {
  readonly webhook: AnyWebhook;
  /** The name of the configuration. */
  readonly configuration: string;
  readonly match: RequestMatcher;
  readonly conditions: MatchConditions;
  /** Throws if the webhook cannot be reached with this configuration. */
  readonly location: () => WebhookLocation;
}

/** A configuration of webhooks of either kind. */
export interface WebhookConfiguration {
  readonly metadata: { readonly name?: string | undefined };
  readonly webhooks?: readonly AnyWebhook[] | undefined;
}

export interface WebhookSourceSetup extends MatchingSetup {
  readonly reader: MatchingSetup["reader"] & Pick<Reader, "listReadable">;
  readonly metrics: Metrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
}

/** Returns the webhooks of all configurations of a kind: by the names of these, then in their order. */
export function webhookSource(
  setup: WebhookSourceSetup,
  kind: KindOf<WebhookConfiguration>,
  type: ConditionsOwner["type"],
): () => readonly ReadyWebhook[] {
  const { reader } = setup;
  const makeReady = readying(setup, type);
  const ready = new WeakMap<WebhookConfiguration, readonly ReadyWebhook[]>();
  const webhooksOf = (configuration: WebhookConfiguration): readonly ReadyWebhook[] => {
    let webhooks = ready.get(configuration);
    if (!webhooks) {
      webhooks = makeReady(configuration);
      ready.set(configuration, webhooks);
    }
    return webhooks;
  };
  return () => (reader.serves(kind) ? reader.listReadable(kind).flatMap(webhooksOf) : []);
}

function readying(
  setup: WebhookSourceSetup,
  type: ConditionsOwner["type"],
): (configuration: WebhookConfiguration) => readonly ReadyWebhook[] {
  const { metrics, ticks } = setup;
  const conditionMetrics = once(() => new MatchConditionMetrics(metrics));
  return ({ metadata, webhooks = [] }) => {
    const configuration = metadata.name ?? "";
    const places = new Map<string, number>();
    return webhooks.map((webhook) => {
      const { name, rules = [], clientConfig } = webhook;
      // Configurations of older servers may have two webhooks of a name.
      const place = places.get(name) ?? 0;
      places.set(name, place + 1);
      return {
        webhook,
        configuration,
        id: `${configuration}/${name}/${place}`,
        reinvocationPolicy: (webhook as AnyWebhook).reinvocationPolicy,
        match: requestMatcher(setup, { ...webhook, rules }),
        conditions: matchConditions({
          conditions: webhook.matchConditions,
          failurePolicy: webhook.failurePolicy,
          owner: { name, kind: "webhook", type },
          metrics: conditionMetrics(),
          ticks,
        }),
        location: once(() => webhookLocation(clientConfig)),
      };
    });
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
