import type { MutatingWebhookConfiguration } from "../../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import type { ValidatingWebhookConfiguration } from "../../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { resourceOf } from "../../schema/language/kind.ts";
import type { Webhook } from "./webhook-definition.ts";
import { type WebhookPurpose, webhookPath } from "./webhook-endpoints.ts";

/** Where an API server reaches webhooks: at a service, or below a URL, `https://HOST:PORT`. */
export type WebhookAddress =
  | { readonly url: string }
  | {
      readonly service: {
        readonly namespace: string;
        readonly name: string;
        /** The port of the service; 443 if not given. */
        readonly port?: number | undefined;
      };
    };

export interface WebhookClientOptions {
  readonly address: WebhookAddress;
  /** The certificates (PEM) of the authorities of the server; those that the machine trusts if not given. */
  readonly ca?: string | undefined;
}

/** The configurations of webhooks, by which an API server calls them; undefined where there is nothing to call. */
export interface WebhookConfigurations {
  readonly mutating: (typeof MutatingWebhookConfiguration)["$input"];
  readonly validating: (typeof ValidatingWebhookConfiguration)["$input"];
  /** The conversion of custom kinds, by the names of their definitions. */
  readonly conversions: ReadonlyMap<string, WebhookConversion>;
}

/** The field `conversion` of a definition. */
export interface WebhookConversion {
  readonly strategy: "Webhook";
  readonly webhook: {
    readonly clientConfig: ClientConfig;
    readonly conversionReviewVersions: readonly string[];
  };
}

interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path: string;
    readonly port: number;
  };
  readonly caBundle?: string;
}

/** Derives the configurations, which all have this name, from webhooks. */
export function webhookConfigurations(
  name: string,
  webhooks: readonly Webhook[],
  options: WebhookClientOptions,
): WebhookConfigurations {
  const called = (purpose: "mutate" | "validate") =>
    webhooks.flatMap((one) => (one[purpose] ? [configured(one, purpose, options)] : []));
  const [mutating, validating] = [called("mutate"), called("validate")];
  const metadata = { name };
  return {
    mutating: mutating.length === 0 ? undefined : { metadata, webhooks: mutating },
    validating:
      validating.length === 0
        ? undefined
        : {
            metadata,
            webhooks: validating.map(({ reinvocationPolicy: _, ...webhook }) => webhook),
          },
    conversions: new Map(
      webhooks.flatMap((one) => {
        if (!one.convert) return [];
        const clientConfig = clientConfigOf(webhookPath("convert", one.kind), options);
        const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
        return [[resourceOf(one.kind), { strategy: "Webhook", webhook }] as const];
      }),
    ),
  };
}

function configured(
  { kind, settings, validated }: Webhook,
  purpose: Exclude<WebhookPurpose, "convert">,
  options: WebhookClientOptions,
) {
  const { group, version, plural, scope } = kind;
  return {
    // A name has at least three parts, as that of pods has: validate.v1.pods.
    name: [purpose, version, plural, ...(group === "" ? [] : [group])].join("."),
    clientConfig: clientConfigOf(webhookPath(purpose, kind), options),
    rules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        resources: [plural],
        operations: purpose === "mutate" ? ["CREATE", "UPDATE"] : [...validated],
        scope,
      },
    ],
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    ...settings,
  };
}

function clientConfigOf(path: string, { address, ca }: WebhookClientOptions): ClientConfig {
  const caBundle = ca === undefined ? {} : { caBundle: btoa(ca) };
  if ("url" in address) return { url: `${address.url.replace(/\/$/, "")}${path}`, ...caBundle };
  const { port = 443, ...service } = address.service;
  return { service: { ...service, path, port }, ...caBundle };
}
