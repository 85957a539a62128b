import { sameJson } from "../../../schema/json/json-value.ts";
import type { Strategy } from "../../../schema/language/kind.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { nameWarnings } from "./registration.ts";

/** What both kinds of configurations are for those who only count and compare their webhooks. */
interface WebhookConfiguration {
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly unknown[] | undefined;
}

/** How a configuration of webhooks comes to be and changes. */
export const webhookStrategy: Strategy<Draft<WebhookConfiguration>> = {
  conditionalUpdateOnly: true,
  prepareCreate({ metadata }) {
    metadata.generation = 1;
  },
  prepareUpdate({ metadata, webhooks }, old) {
    // To the letter, as upstream compares them: an empty list is a change from none.
    if (!sameJson(webhooks, old.webhooks)) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
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
