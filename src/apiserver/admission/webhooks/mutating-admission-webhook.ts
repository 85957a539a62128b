import { MutatingWebhookConfiguration } from "../../../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import { internalError } from "../../../api/meta/v1/status-error.ts";
import type { AnyKind, ObjectDraft } from "../../objects/object.ts";
import type { AdmissionPlugin, AdmissionRun, Attributes } from "../admission.ts";
import { callerAuthorizer } from "../expressions/caller-authorizer.ts";
import { isExempt } from "../matching/exempt.ts";
import type { SeenRequest } from "../matching/seen-request.ts";
import { MutatedObject } from "../mutating/mutated-object.ts";
import { Reinvocation } from "../mutating/reinvocation.ts";
import {
  type AnnotatedCall,
  annotateFailOpen,
  annotateMutation,
  annotatePatch,
} from "./audit-annotations.ts";
import { consultWebhook } from "./consult-webhook.ts";
import { meetsConditions } from "./meets-conditions.ts";
import { type Patched, patchIn, patchObject } from "./object-patch.ts";
import { type ReadyWebhook, webhookSource } from "./ready-webhook.ts";
import { consultingParts, type WebhookSetup } from "./webhook-setup.ts";

/** Has webhooks change objects, one after the other. */
export function mutatingAdmissionWebhook(setup: WebhookSetup): AdmissionPlugin {
  const webhooks = webhookSource(setup, MutatingWebhookConfiguration, "admit");
  const parts = consultingParts(setup);
  const reinvocations = new WeakMap<AdmissionRun, Reinvocation>();
  return {
    name: "MutatingAdmissionWebhook",
    operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],

    admit(attributes, run) {
      if (isExempt(attributes as Attributes)) return undefined;
      const all = webhooks();
      return all.length === 0 ? undefined : mutate(attributes, run, all);
    },
  };

  async function mutate(
    attributes: Attributes<ObjectDraft>,
    run: AdmissionRun,
    all: readonly ReadyWebhook[],
  ): Promise<void> {
    const reinvocation = reinvocations.get(run) ?? new Reinvocation();
    reinvocations.set(run, reinvocation);
    if (run.isSecond) reinvocation.begin(attributes.object);
    const authorize = callerAuthorizer(setup.access.authorizer, attributes.context.user);
    const object = new MutatedObject(attributes);
    /** The request as the webhook is to see it; undefined if it is not to be called. */
    const requestFor = async (ready: ReadyWebhook): Promise<SeenRequest | undefined> => {
      // In the second run, no webhook is called for the first time.
      if (run.isSecond && !reinvocation.isNeeded(ready)) return undefined;
      const kind = await ready.match(object.attributes);
      const request = kind && (await see(object, kind));
      return request && (await meetsConditions(ready, request, authorize)) ? request : undefined;
    };
    for (const [index, ready] of all.entries()) {
      const request = await requestFor(ready);
      if (!request) continue;
      const patched = await consult({ ready, round: Number(run.isSecond), index }, request);
      if (patched) object.change(patched.request);
      if (patched?.isChanged) {
        reinvocation.changed();
        run.isNeededAgain = true;
      }
      reinvocation.called(ready);
    }
    await object.writeBack();
    reinvocation.end(attributes.object);
  }

  /** The request after the webhook's patch; undefined without one. */
  async function consult(call: AnnotatedCall, request: SeenRequest): Promise<Patched | undefined> {
    const { context } = request.attributes;
    const { name } = call.ready.webhook;
    let isChanged = false;
    const consultation = {
      ready: call.ready,
      request,
      isMutating: true,
      onFailOpen: () => annotateFailOpen(context, call, "mutation"),
    };
    try {
      return await consultWebhook(parts(), consultation, (response) => {
        const patch = patchIn(response, name);
        if (!patch) return undefined;
        const patched = patchObject(request, patch, { ...setup, webhook: name });
        annotatePatch(context, call, patch.text);
        isChanged = patched.isChanged;
        return patched;
      });
    } finally {
      annotateMutation(context, call, isChanged);
    }
  }
}

async function see(object: MutatedObject, kind: AnyKind): Promise<SeenRequest> {
  try {
    return await object.seeAs(kind);
  } catch (error) {
    // Upstream says so twice.
    throw internalError(internalError(error));
  }
}
