import type { Access } from "../../authorization/access.ts";
import type { WebhookClient } from "../../connect/webhooks/webhook-client.ts";
import { WebhookMetrics } from "../../metrics/webhook-metrics.ts";
import type { Environment } from "../../objects/environment.ts";
import type { Resources } from "../../objects/resources.ts";
import type { ConsultingParts } from "./consult-webhook.ts";
import type { WebhookSourceSetup } from "./ready-webhook.ts";

/** The parts of the server that the plugins of webhooks use. */
export interface WebhookSetup extends WebhookSourceSetup {
  readonly resources: Resources;
  readonly environment: Environment;
  readonly access: Pick<Access, "authorizer">;
  readonly webhooks: Pick<WebhookClient, "post">;
}

/** Returns what consulting webhooks needs, which is made when the first one is called: most servers call none. */
export function consultingParts(setup: WebhookSetup): () => ConsultingParts {
  const { webhooks, metrics, ticks, environment } = setup;
  let parts: ConsultingParts | undefined;
  return () => {
    parts ??= {
      webhooks,
      metrics: new WebhookMetrics(metrics),
      ticks,
      uuid: () => environment.entropy.uuid(),
      log: environment.log,
    };
    return parts;
  };
}
