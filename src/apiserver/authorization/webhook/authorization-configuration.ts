import { bool, duration, list, message, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

const prefix = "io.k8s.apiserver.config.v1";

const WebhookConnectionInfo = struct(`${prefix}.WebhookConnectionInfo`, {
  type: string(1).doc("KubeConfigFile."),
  kubeConfigFile: string(2).pointer().doc("The kubeconfig file of the webhook's server."),
}).doc("How a webhook is reached.");

const WebhookMatchCondition = struct(`${prefix}.WebhookMatchCondition`, {
  expression: string(1).doc("An expression of CEL about the request that must be true."),
}).doc("Which requests a webhook is asked about.");

const WebhookConfiguration = struct(`${prefix}.WebhookConfiguration`, {
  authorizedTTL: duration(1).nullable().doc("How long allowed requests are cached; 5m."),
  cacheAuthorizedRequests: bool(2).pointer().doc("Whether they are; true."),
  unauthorizedTTL: duration(3).nullable().doc("How long other requests are cached; 30s."),
  cacheUnauthorizedRequests: bool(4).pointer().doc("Whether they are; true."),
  timeout: duration(5).nullable().doc("How long the webhook may take; at most 30s."),
  subjectAccessReviewVersion: string(6).doc("The version of the review that is sent."),
  matchConditionSubjectAccessReviewVersion: string(7).doc("The version that conditions see: v1."),
  failurePolicy: string(8).doc("What a failure means: NoOpinion or Deny."),
  connectionInfo: message(9, WebhookConnectionInfo).doc("How the webhook is reached."),
  matchConditions: list(10, WebhookMatchCondition).doc(
    "Which requests the webhook is asked about.",
  ),
}).doc("A webhook that authorizes requests.");
export interface WebhookConfiguration extends Infer<typeof WebhookConfiguration> {}

const AuthorizerConfiguration = struct(`${prefix}.AuthorizerConfiguration`, {
  type: string(1).doc("The type: Webhook, or a mode such as RBAC."),
  name: string(2).doc("The name; that of a mode is the mode in lower case."),
  webhook: message(3, WebhookConfiguration).doc("The webhook, of an authorizer of that type."),
}).doc("One authorizer.");
export interface AuthorizerConfiguration extends Infer<typeof AuthorizerConfiguration> {}

/** The authorizers of a server, in order, as a file says it. */
export const AuthorizationConfiguration = struct(`${prefix}.AuthorizationConfiguration`, {
  kind: string(101).doc("AuthorizationConfiguration"),
  apiVersion: string(102).doc("apiserver.config.k8s.io/v1"),
  authorizers: list(1, AuthorizerConfiguration).doc(
    "The authorizers: the first that decides wins.",
  ),
}).doc("The authorizers of a server, in order.");
export interface AuthorizationConfiguration extends Infer<typeof AuthorizationConfiguration> {}
