import { aborted } from "../../base/on-abort.ts";
import type { Runnable, RunnableContext } from "../manager/manager-options.ts";
import { installWebhooks, uninstallWebhooks } from "./install-webhooks.ts";
import { measuredResponder } from "./measured-responder.ts";
import { type RespondToReview, reviewResponder } from "./respond-to-review.ts";
import { type WebhookAddress, webhookConfigurations } from "./webhook-configurations.ts";
import type { Webhook } from "./webhook-definition.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";

/** Webhooks that are being served. */
export interface WebhookListener {
  /** Where API servers reach them. */
  readonly address: WebhookAddress;
  /** The authorities (PEM) by which API servers verify them. */
  readonly ca: string | undefined;
  /** Whether there may be other processes that serve the same webhooks, so that they stay installed. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** Begins to serve webhooks; calls `onChange` when the authorities change. */
export type ListenForWebhooks = (
  respond: RespondToReview,
  ctx: RunnableContext,
  onChange: () => void,
) => Promise<WebhookListener>;

export interface RunningWebhooksOptions {
  /** The name of the configurations, and the field manager that writes them. */
  readonly name: string;
  readonly webhooks: readonly Webhook[];
  readonly listen: ListenForWebhooks;
}

/** Webhooks as a part of a manager, which serves them from before its caches are filled. */
export interface WebhookServer extends Runnable {
  readonly stage: "server";
  /** Whether API servers know of all webhooks: `readyChecks` can ask for it. */
  readonly isInstalled: boolean;
  readonly webhooks: readonly Webhook[];
}

/** Serves webhooks, and has API servers call them: writes their configurations with the authorities to trust. */
export function runningWebhooks(options: RunningWebhooksOptions): WebhookServer {
  const { name, webhooks, listen } = options;
  const endpoints = webhookEndpoints(webhooks);
  let isInstalled = (): boolean => false;
  return {
    name: `${name}-webhooks`,
    stage: "server",
    webhooks,
    get isInstalled() {
      return isInstalled();
    },
    async run(signal, ctx) {
      const plain = reviewResponder(endpoints, (error, path) =>
        ctx.log.error("webhook failed", error, { path }),
      );
      const respond = measuredResponder(plain, { ...ctx, paths: new Set(endpoints.keys()) });
      let refresh = (): void => {};
      const listener = await listen(respond, ctx, () => refresh());
      try {
        const installed = installWebhooks(ctx, name, () =>
          webhookConfigurations(name, webhooks, listener),
        );
        refresh = () => installed.refresh();
        isInstalled = () => installed.isComplete;
        await aborted(signal);
        isInstalled = () => false;
        installed.close();
        if (!listener.isShared) await uninstallWebhooks(ctx, name);
      } finally {
        await listener.close();
      }
    },
  };
}
