import { list } from "../../../schema/field.ts";
import { sameValue } from "../../../schema/validate.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { nameWarnings, registration } from "./registration.ts";
import { ValidatingWebhook } from "./webhook.ts";
import { validateWebhooks } from "./webhook-validation.ts";

export const ValidatingWebhookConfiguration = kind({
  ...registration,
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  description: "Webhooks that may refuse requests.",
  fields: {
    webhooks: list(2, ValidatingWebhook).keyedBy("name").doc("The webhooks."),
  },
  rules: [({ webhooks }, at) => validateWebhooks(webhooks, undefined, at)],
  updateRules({ webhooks }, old, { at, metadata }) {
    metadata();
    validateWebhooks(webhooks, old.webhooks ?? [], at);
  },
  strategy: {
    conditionalUpdateOnly: true,
    prepareCreate({ metadata }) {
      metadata.generation = 1;
    },
    prepareUpdate({ metadata, webhooks }, old) {
      if (!sameValue(webhooks, old.webhooks))
        metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    warnings: nameWarnings,
  },
  columns: [
    nameColumn,
    {
      name: "Webhooks",
      type: "integer",
      description: "Webhooks indicates the number of webhooks registered in this configuration",
      cell: ({ webhooks = [] }) => webhooks.length,
    },
    ageColumn,
  ],
});
export interface ValidatingWebhookConfiguration
  extends ObjectOf<typeof ValidatingWebhookConfiguration> {}
