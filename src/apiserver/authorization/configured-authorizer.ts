import type { Network } from "../../base/network.ts";
import { type ReviewServer, ReviewWebhook } from "../connect/webhooks/review-webhook.ts";
import type { AuthorizationMetrics } from "../metrics/authorization-metrics.ts";
import type { Environment } from "../objects/environment.ts";
import type { User } from "../request/identity.ts";
import type { AbacPolicy } from "./abac.ts";
import type { Attributes } from "./attributes.ts";
import { type Authorizer, authorizerChain } from "./authorizer.ts";
import type { Policy } from "./cluster-policy.ts";
import { type AuthorizationMode, modeAuthorizer, privileged } from "./modes.ts";
import { type WebhookRules, webhookAuthorizer } from "./webhook/webhook-authorizer.ts";

/** One authorizer of a server, by its configuration. */
export type AuthorizerEntry =
  | { readonly type: AuthorizationMode; readonly name: string }
  | {
      readonly type: "Webhook";
      readonly name: string;
      readonly server: ReviewServer;
      readonly rules: WebhookRules;
    };

/** The authorizers of these modes, under their usual names. */
export const modeEntries = (modes: readonly AuthorizationMode[]): AuthorizerEntry[] =>
  modes.map((type) => ({ type, name: type.toLowerCase() }));

/** What authorizers use of the server. */
export interface AuthorizerParts {
  readonly policy: Policy;
  readonly abacPolicies: readonly AbacPolicy[];
  readonly environment: Pick<Environment, "clock" | "random" | "log" | "features">;
  readonly network: Network;
  readonly ticks: () => number;
  readonly metrics: AuthorizationMetrics;
}

/** The authorizers of a server in order, which can be replaced; administrators are allowed everything. */
export class ConfiguredAuthorizer implements Authorizer {
  readonly #parts: AuthorizerParts;
  #current: { readonly chain: Authorizer; close(): void };

  constructor(entries: readonly AuthorizerEntry[], parts: AuthorizerParts) {
    this.#parts = parts;
    this.#current = chainOf(entries, parts);
  }

  authorize(attributes: Attributes): ReturnType<Authorizer["authorize"]> {
    return this.#current.chain.authorize(attributes);
  }

  rulesFor(user: User, namespace: string): ReturnType<Authorizer["rulesFor"]> {
    return this.#current.chain.rulesFor(user, namespace);
  }

  /** Asks these authorizers from now on; requests that are being decided are decided by those before. */
  replace(entries: readonly AuthorizerEntry[]): void {
    const before = this.#current;
    this.#current = chainOf(entries, this.#parts);
    this.#parts.environment.clock.setTimer(graceMs, () => before.close());
  }

  close(): void {
    this.#current.close();
  }
}

/** Longer than any webhook takes. */
const graceMs = 120_000;

function chainOf(entries: readonly AuthorizerEntry[], parts: AuthorizerParts) {
  const webhooks: ReviewWebhook[] = [];
  const authorizers = entries.map((entry) => {
    const authorizer =
      entry.type === "Webhook"
        ? webhookOf(entry, parts, webhooks)
        : modeAuthorizer(entry.type, parts);
    return counted(authorizer, parts.metrics.decisionsOf(entry.type, entry.name));
  });
  return {
    chain: authorizerChain([privileged, ...authorizers]),
    close() {
      for (const webhook of webhooks) webhook.close();
    },
  };
}

function webhookOf(
  { name, server, rules }: Extract<AuthorizerEntry, { readonly type: "Webhook" }>,
  { environment, network, ticks, metrics }: AuthorizerParts,
  webhooks: ReviewWebhook[],
): Authorizer {
  const { clock, random, log } = environment;
  const { timeoutMs } = rules;
  const webhook = new ReviewWebhook({ server, network, clock, random, ticks, timeoutMs });
  webhooks.push(webhook);
  return webhookAuthorizer({ name, rules, webhook, clock, ticks, metrics, log });
}

/** Counts what an authorizer decides. */
function counted(
  authorizer: Authorizer,
  counters: ReturnType<AuthorizationMetrics["decisionsOf"]>,
): Authorizer {
  const count = <D extends { readonly verdict: string }>(decision: D): D => {
    if (decision.verdict === "allow") counters.allow.add(1);
    else if (decision.verdict === "deny") counters.deny.add(1);
    return decision;
  };
  return {
    authorize(attributes) {
      const decision = authorizer.authorize(attributes);
      return decision instanceof Promise ? decision.then(count) : count(decision);
    },
    rulesFor: (user, namespace) => authorizer.rulesFor(user, namespace),
  };
}
