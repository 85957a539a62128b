import { ValidatingWebhookConfiguration } from "../../../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { internalError } from "../../../api/meta/v1/status-error.ts";
import type { AnyKind } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { callerAuthorizer } from "../expressions/caller-authorizer.ts";
import { isExempt } from "../matching/exempt.ts";
import { type SeenRequest, seeRequest } from "../matching/seen-request.ts";
import { annotateFailOpen } from "./audit-annotations.ts";
import { consultWebhook } from "./consult-webhook.ts";
import { meetsConditions } from "./meets-conditions.ts";
import { type ReadyWebhook, webhookSource } from "./ready-webhook.ts";
import { consultingParts, type WebhookSetup } from "./webhook-setup.ts";

/** Has webhooks reject requests. All that match are called at the same time. */
export function validatingAdmissionWebhook(setup: WebhookSetup): AdmissionPlugin {
  const webhooks = webhookSource(setup, ValidatingWebhookConfiguration, "validating");
  const parts = consultingParts(setup);
  return {
    name: "ValidatingAdmissionWebhook",
    operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],

    validate(attributes) {
      if (isExempt(attributes)) return undefined;
      const all = webhooks();
      return all.length === 0 ? undefined : validate(attributes, all);
    },
  };

  async function validate(attributes: Attributes, all: readonly ReadyWebhook[]): Promise<void> {
    const authorize = callerAuthorizer(setup.access.authorizer, attributes.context.user);
    const seen = new Map<AnyKind, SeenRequest>();
    const calls: { readonly ready: ReadyWebhook; readonly request: SeenRequest }[] = [];
    for (const ready of all) {
      const kind = await ready.match(attributes);
      if (!kind) continue;
      const request = seen.get(kind) ?? (await see(attributes, kind));
      seen.set(kind, request);
      if (await meetsConditions(ready, request, authorize)) calls.push({ ready, request });
    }
    const errors: unknown[] = [];
    const consult = (call: (typeof calls)[number], index: number): Promise<void> => {
      const onFailOpen = () =>
        annotateFailOpen(attributes.context, { ...call, round: 0, index }, "validating");
      const consultation = { ...call, isMutating: false, onFailOpen };
      return consultWebhook(parts(), consultation, () => {}).catch((error: unknown) => {
        errors.push(error);
      });
    };
    await Promise.all(calls.map(consult));
    // The first that came.
    if (errors.length > 0) throw errors[0];
  }
}

async function see(attributes: Attributes, kind: AnyKind): Promise<SeenRequest> {
  try {
    return await seeRequest(attributes, kind);
  } catch (error) {
    throw internalError(error);
  }
}
