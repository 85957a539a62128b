import type { AdmissionRequest } from "../../api/admission/v1/admission-review.ts";
import { badRequest, invalid, StatusError, statusOf } from "../../api/meta/v1/status-error.ts";
import { encodeBase64 } from "../../base/base64.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import { copyJson } from "../../schema/json/json-value.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import type { Draft } from "../../schema/language/struct.ts";
import { jsonDiff } from "../../schema/patch/json-diff.ts";
import { conversionHandler } from "./conversion.ts";
import type {
  AdmissionContext,
  AdmissionDecision,
  AdmissionHandler,
  Verdict,
  Webhook,
  WebhookDefinition,
} from "./webhook-definition.ts";

/**
 * The webhooks of a kind as an object literal:
 *
 * ```ts
 * webhook({
 *   for: Widget,
 *   default(widget) { widget.spec.size ??= 3; },
 *   validate(widget, { old }) {
 *     if (old && widget.spec.size < old.spec.size) return "widgets do not shrink";
 *   },
 * });
 * ```
 */
export function webhook<O extends KubernetesObject, I>(
  definition: WebhookDefinition<O, I>,
): Webhook {
  const { for: kind, convert, settings = {} } = definition;
  const { validate, validateDelete } = definition;
  return {
    kind,
    settings,
    mutate: definition.default && mutation(definition),
    validate: (validate ?? validateDelete) && validation(definition),
    validated: [
      ...(validate ? (["CREATE", "UPDATE"] as const) : []),
      ...(validateDelete ? (["DELETE"] as const) : []),
    ],
    convert: convert && conversionHandler(kind, convert),
  };
}

function mutation<O extends KubernetesObject, I>(
  definition: WebhookDefinition<O, I>,
): AdmissionHandler {
  return (request) =>
    decided(async (warnings) => {
      const object = objectIn<O>(request.object);
      const draft = copyJson(object) as Draft<O>;
      await definition.default?.(draft, contextOf<O>(request, warnings));
      const operations = jsonDiff(object, draft);
      if (operations.length === 0) return { allowed: true };
      const patch = encodeBase64(new TextEncoder().encode(stringifyJson(operations)));
      return { allowed: true, patchType: "JSONPatch", patch };
    });
}

function validation<O extends KubernetesObject, I>(
  definition: WebhookDefinition<O, I>,
): AdmissionHandler {
  return (request) =>
    decided(async (warnings) => {
      const ctx = contextOf<O>(request, warnings);
      const isDeletion = ctx.operation === "DELETE";
      const object = objectIn<O>(isDeletion ? request.oldObject : request.object);
      const verdict = isDeletion
        ? await definition.validateDelete?.(object, ctx)
        : await definition.validate?.(object, ctx);
      const fault = faultOf(verdict, request);
      if (fault) throw fault;
      return { allowed: true };
    });
}

/** A StatusError is a decision, too; anything else that is thrown is a fault of the webhook. */
async function decided(
  decide: (warnings: string[]) => Promise<AdmissionDecision>,
): Promise<AdmissionDecision> {
  const warnings: string[] = [];
  const said = () => (warnings.length === 0 ? {} : { warnings });
  try {
    return { ...(await decide(warnings)), ...said() };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { allowed: false, status: statusOf(error), ...said() };
  }
}

/** The error that a verdict stands for; undefined if it allows the request. */
function faultOf(verdict: Verdict, { name = "", kind }: AdmissionRequest): StatusError | undefined {
  if (verdict === undefined) return undefined;
  if (typeof verdict === "string") return new StatusError("Forbidden", verdict);
  if (verdict.length === 0) return undefined;
  return invalid({ group: kind.group, resource: kind.kind, name }, verdict);
}

function contextOf<O>(request: AdmissionRequest, warnings: string[]): AdmissionContext<O> {
  const { operation, oldObject, userInfo, dryRun = false } = request;
  if (operation !== "CREATE" && operation !== "UPDATE" && operation !== "DELETE")
    throw badRequest(`the webhook is not for requests of the operation ${operation}`);
  return {
    operation,
    old: operation === "UPDATE" ? objectIn<O>(oldObject) : undefined,
    user: userInfo,
    isDryRun: dryRun,
    warn: (text) => warnings.push(text),
    request,
  };
}

function objectIn<O>(object: unknown): O {
  if (typeof object !== "object" || object === null)
    throw badRequest("the request has no object for the webhook");
  return object as O;
}
