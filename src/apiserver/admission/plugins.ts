import { errorMessage } from "../../base/error-message.ts";
import type { Metrics } from "../../base/metrics.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Access } from "../authorization/access.ts";
import { escalation } from "../authorization/escalation.ts";
import type { ReviewServer, ReviewWebhook } from "../connect/webhooks/review-webhook.ts";
import type { WebhookClient } from "../connect/webhooks/webhook-client.ts";
import type { Environment } from "../objects/environment.ts";
import type { ObjectReader } from "../objects/reader.ts";
import type { Resources } from "../objects/resources.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { podCertificateSigning } from "./certificates/pod-certificate-signing.ts";
import type { AdmissionConfiguration } from "./configuration.ts";
import { deviceAdminAccess } from "./device-admin-access.ts";
import { pluginTable } from "./plugin-table.ts";
import { selectPlugins } from "./select-plugins.ts";

/** The parts of the server that plugins use. Each takes what it needs, such as a reader. */
export interface PluginSetup {
  readonly reader: ObjectReader;
  readonly resources: Resources;
  readonly access: Pick<Access, "authorizer" | "policy">;
  readonly environment: Environment;
  readonly webhooks: Pick<WebhookClient, "post">;
  /** Opens a webhook that reviews what plugins show it; the server closes it. */
  readonly openReviews: (
    server: ReviewServer,
    options: { readonly retryMs: number },
  ) => ReviewWebhook;
  readonly configuration: AdmissionConfiguration;
  readonly metrics: Metrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  /** Creates a namespace as the server itself. */
  readonly createNamespace: (name: string) => Promise<void>;
}

/** Which plugins run, and their configuration. */
export interface AdmissionOptions {
  /** By name, beside those that are on by default. */
  readonly enable?: readonly string[];
  /** By name, of those that are on by default. */
  readonly disable?: readonly string[];
  readonly configuration?: AdmissionConfiguration;
  /** Plugins of the program that embeds the server: they run after all others. */
  readonly also?: readonly AdmissionPlugin[];
}

/** The plugins of a server, in upstream's order; throws if one cannot be made from its configuration. */
export function admissionPlugins(
  { enable, disable, configuration = {}, also = [] }: AdmissionOptions,
  from: Omit<PluginSetup, "configuration">,
): AdmissionPlugin[] {
  const selected = new Set(selectPlugins({ enable, disable }));
  return [
    ...pluginTable
      .filter(({ name }) => selected.has(name))
      .map(({ name, make }) => made(name, () => make({ ...from, configuration }))),
    // Upstream has these two in the validation of claims and requests.
    deviceAdminAccess(from),
    podCertificateSigning(from),
    // And this one in the storage of roles: it runs after all plugins that change an object.
    escalation(from),
    ...also,
  ];
}

function made<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`couldn't init admission plugin ${quote(name)}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
