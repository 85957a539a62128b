import { list } from "../../../schema/language/field.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { registration } from "./registration.ts";
import { ValidatingWebhook } from "./webhook.ts";
import { webhookColumns, webhookStrategy } from "./webhook-configuration.ts";
import { validateWebhooks } from "./webhook-validation.ts";

export const ValidatingWebhookConfiguration = kind({
  ...registration,
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  doc: "Webhooks that may refuse requests.",
  fields: {
    webhooks: list(2, ValidatingWebhook).keyedBy("name").doc("The webhooks."),
  },
  rules: [({ webhooks }, at) => validateWebhooks(webhooks, undefined, at)],
  updateRules({ webhooks }, old, { at, metadata }) {
    metadata();
    validateWebhooks(webhooks, old.webhooks ?? [], at);
  },
  strategy: webhookStrategy,
  columns: webhookColumns,
});
export interface ValidatingWebhookConfiguration
  extends ObjectOf<typeof ValidatingWebhookConfiguration> {}
