import { sameJson } from "../../../schema/json/json-value.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import type { StandardStrategy } from "../../meta/v1/standard-strategy.ts";
import { nameWarnings } from "./registration.ts";

/** What both kinds of configurations are for those who only count and compare their webhooks. */
interface WebhookConfiguration {
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly unknown[] | undefined;
}

/** How a configuration of webhooks is created and changed. */
export const webhookStrategy: StandardStrategy<Draft<WebhookConfiguration>> = {
  conditionalUpdateOnly: true,
  // To the letter, as upstream compares them: an empty list is a change from none.
  generation: { webhooks: sameJson },
  warnings: nameWarnings,
};

export const webhookColumns = [
  nameColumn,
  {
    name: "Webhooks",
    type: "integer",
    description: "Webhooks indicates the number of webhooks registered in this configuration",
    cell: ({ webhooks = [] }: WebhookConfiguration) => webhooks.length,
  },
  ageColumn,
] as const;
