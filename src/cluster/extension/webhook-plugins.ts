import type { AdmissionResponse } from "../../api/admission/v1/admission-review.ts";
import { internalError } from "../../api/meta/v1/status-error.ts";
import type { AdmissionPlugin, Attributes } from "../../apiserver/admission/admission.ts";
import { admissionRequest } from "../../apiserver/admission/matching/admission-request.ts";
import { type SeenRequest, seeRequest } from "../../apiserver/admission/matching/seen-request.ts";
import { MutatedObject } from "../../apiserver/admission/mutating/mutated-object.ts";
import { patchIn, patchObject } from "../../apiserver/admission/webhooks/object-patch.ts";
import type { AnyKind } from "../../apiserver/objects/object.ts";
import { Resources } from "../../apiserver/objects/resources.ts";
import type { Entropy } from "../../base/entropy.ts";
import { statusErrorOf } from "../../client/decode-response.ts";
import type {
  AdmissionDecision,
  AdmissionHandler,
  Webhook,
} from "../../controller-runtime/webhooks/webhook-definition.ts";
import { copyJson } from "../../schema/json/json-value.ts";

export interface WebhookPluginsOptions {
  readonly kinds: readonly AnyKind[];
  readonly entropy: Pick<Entropy, "uuid">;
}

/** The defaults and validation of webhooks as plugins of the server that serves their kinds. */
export function webhookPlugins(
  webhooks: readonly Webhook[],
  { kinds, entropy }: WebhookPluginsOptions,
): readonly AdmissionPlugin[] {
  // Patched objects are of kinds that are served here.
  const resources = new Resources(kinds);
  return webhooks.map(({ kind, mutate, validate, validated }): AdmissionPlugin => {
    const { group, version, plural } = kind;
    const name = `${plural}.${group}`;
    const seenAs = resources.find(group, version, plural);
    if (!seenAs)
      throw new TypeError(`there are webhooks of ${name}/${version}, which is not served`);
    const ask = async (handle: AdmissionHandler, request: SeenRequest) => {
      const { attributes, object, old } = request;
      const decision = await handle({
        uid: entropy.uuid(),
        ...admissionRequest(attributes, seenAs),
        object: object ? copyJson(object) : null,
        oldObject: old ? copyJson(old) : null,
      } as unknown as Parameters<AdmissionHandler>[0]);
      attributes.context.warnings.push(...(decision.warnings ?? []));
      if (!decision.allowed) throw rejectionIn(decision);
      return decision;
    };
    return {
      name,
      operations: ["CREATE", "UPDATE", "DELETE"],
      resources: [`${group}/${plural}`],
      async admit(attributes) {
        if (!mutate || attributes.operation === "DELETE") return;
        const seen = new MutatedObject(attributes);
        const request = await seen.seeAs(seenAs);
        const patch = patchIn((await ask(mutate, request)) as AdmissionResponse, name);
        if (!patch) return;
        seen.change(patchObject(request, patch, { webhook: name, resources }).request);
        await seen.writeBack();
      },
      async validate(attributes: Attributes) {
        const { operation } = attributes;
        if (!validate || operation === "CONNECT" || !validated.includes(operation)) return;
        await ask(validate, await seeRequest(attributes, seenAs));
      },
    };
  });
}

const rejectionIn = ({ status }: AdmissionDecision) =>
  status ? statusErrorOf({ kind: "Status", ...status }) : internalError("the request was denied");
