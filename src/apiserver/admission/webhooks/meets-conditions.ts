import { forbidden } from "../../../api/meta/v1/status-error.ts";
import type { Authorize } from "../../../cel/values/authorizer-value.ts";
import { RequestVariables } from "../expressions/request-variables.ts";
import type { SeenRequest } from "../matching/seen-request.ts";
import type { ReadyWebhook } from "./ready-webhook.ts";

/** Whether a request meets the match conditions of a webhook. Throws Forbidden if they cannot be evaluated. */
export async function meetsConditions(
  { webhook, conditions }: ReadyWebhook,
  request: SeenRequest,
  authorize: Authorize,
): Promise<boolean> {
  if (!webhook.matchConditions?.length) return true;
  const outcome = await conditions({ request: new RequestVariables(request, authorize) });
  if ("matches" in outcome) return outcome.matches;
  const { kind, name } = request.attributes.address;
  throw forbidden({ group: kind.group, resource: kind.plural, name }, outcome.error);
}
