import {
  int32,
  list,
  message,
  named,
  string,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";
import { MatchCondition } from "./match-condition.ts";
import { RuleWithOperations } from "./rule.ts";
import { WebhookClientConfig } from "./webhook-client-config.ts";

/** What both kinds of webhooks have; the number of the object selector differs. */
const webhookFields = (objectSelector: number) => ({
  name: string(1).always().expected().doc("A domain name for the webhook, unlike all others."),
  clientConfig: value(2, WebhookClientConfig).expected().doc("How the webhook is reached."),
  rules: list(3, RuleWithOperations).atomic().doc("Which requests it is called for."),
  failurePolicy: named(4, "v1.FailurePolicyType")
    .pointer()
    .known("Ignore", "Fail")
    .default("Fail")
    .doc("What becomes of a request when the webhook does not answer."),
  matchPolicy: named(9, "v1.MatchPolicyType")
    .pointer()
    .known("Exact", "Equivalent")
    .default("Equivalent")
    .doc("Whether a request by way of another version of the resource is meant too."),
  namespaceSelector: message(5, LabelSelector)
    .default({})
    .doc("Only objects in namespaces with such labels, and those in none."),
  objectSelector: message(objectSelector, LabelSelector)
    .default({})
    .doc("Only objects with such labels, before or after the request."),
  sideEffects: named(6, "v1.SideEffectClass")
    .nullable()
    .expected()
    .known("Unknown", "None", "Some", "NoneOnDryRun")
    .doc("Whether a call does more than answer."),
  timeoutSeconds: int32(7)
    .pointer()
    .default(10)
    .doc("Seconds after which it counts as not having answered."),
  admissionReviewVersions: strings(8)
    .always()
    .expected()
    .atomic()
    .doc("The versions of AdmissionReview that it understands, the preferred one first."),
});

const conditions = "CEL conditions that a request must meet, all of them.";

export const ValidatingWebhook = struct("io.k8s.api.admissionregistration.v1.ValidatingWebhook", {
  ...webhookFields(10),
  matchConditions: list(11, MatchCondition).keyedBy("name").doc(conditions),
}).doc("A webhook that may refuse requests.");
export interface ValidatingWebhook extends Infer<typeof ValidatingWebhook> {}

export const MutatingWebhook = struct("io.k8s.api.admissionregistration.v1.MutatingWebhook", {
  ...webhookFields(11),
  reinvocationPolicy: named(10, "v1.ReinvocationPolicyType")
    .pointer()
    .known("Never", "IfNeeded")
    .default("Never")
    .doc("Whether it is called again when others changed the object after it."),
  matchConditions: list(12, MatchCondition).keyedBy("name").doc(conditions),
}).doc("A webhook that may change objects, or refuse requests.");
export interface MutatingWebhook extends Infer<typeof MutatingWebhook> {}
