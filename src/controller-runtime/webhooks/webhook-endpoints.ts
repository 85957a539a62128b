import type { ResourceKind } from "../../client/resource-kind.ts";
import type { Webhook } from "./webhook-definition.ts";

/** What a webhook is called for. */
export type WebhookPurpose = "mutate" | "validate" | "convert";

/** The path of a webhook, such as `/mutate-example-com-v1-widget`. */
export function webhookPath(purpose: WebhookPurpose, kind: ResourceKind): string {
  const { group, version, kind: name } = kind;
  // Conversion is for all versions.
  const parts = purpose === "convert" ? [group, name] : [group, version, name];
  const text = parts.filter((part) => part !== "").join("-");
  return `/${purpose}-${text.toLowerCase().replaceAll(".", "-")}`;
}

/** A webhook at its path. */
export type WebhookEndpoint =
  | { readonly reviews: "admission"; readonly handle: NonNullable<Webhook["mutate"]> }
  | { readonly reviews: "conversion"; readonly handle: NonNullable<Webhook["convert"]> };

/** All webhooks by path; throws if two of them would have the same. */
export function webhookEndpoints(
  webhooks: readonly Webhook[],
): ReadonlyMap<string, WebhookEndpoint> {
  const endpoints = new Map<string, WebhookEndpoint>();
  const add = (path: string, endpoint: WebhookEndpoint): void => {
    if (endpoints.has(path)) throw new TypeError(`there are two webhooks for ${path}`);
    endpoints.set(path, endpoint);
  };
  for (const { kind, mutate, validate, convert } of webhooks) {
    if (mutate) add(webhookPath("mutate", kind), { reviews: "admission", handle: mutate });
    if (validate) add(webhookPath("validate", kind), { reviews: "admission", handle: validate });
    if (convert) add(webhookPath("convert", kind), { reviews: "conversion", handle: convert });
  }
  return endpoints;
}
