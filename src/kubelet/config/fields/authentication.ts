import { bool, named, string, value } from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import { dropZeroPeriods, period, typePrefix } from "./field-kinds.ts";

const X509Authentication = struct(`${typePrefix}.KubeletX509Authentication`, {
  clientCAFile: string(1).doc(
    "The file with the CA certificates of clients; the common name of a client certificate is its user, the organizations are its groups.",
  ),
}).doc("Authentication by client certificate.");

const webhookAuthenticationFields = {
  enabled: bool(1)
    .pointer()
    .default(true)
    .doc("Whether bearer tokens are authenticated by a TokenReview of the API server."),
  cacheTTL: period(2).default("2m0s").doc("How long the result of a TokenReview is cached."),
};
const WebhookAuthentication = struct(
  `${typePrefix}.KubeletWebhookAuthentication`,
  webhookAuthenticationFields,
)
  .defaults((draft) => dropZeroPeriods(webhookAuthenticationFields, draft))
  .doc("Authentication by bearer token.");

const AnonymousAuthentication = struct(`${typePrefix}.KubeletAnonymousAuthentication`, {
  enabled: bool(1)
    .pointer()
    .default(false)
    .doc(
      "Whether requests without credentials are accepted, as system:anonymous in the group system:unauthenticated.",
    ),
}).doc("Requests without credentials.");

/** How the requests to the server of a kubelet are authenticated. */
export const KubeletAuthentication = struct(`${typePrefix}.KubeletAuthentication`, {
  x509: value(1, X509Authentication).doc("Authentication by client certificate."),
  webhook: value(2, WebhookAuthentication).doc("Authentication by bearer token."),
  anonymous: value(3, AnonymousAuthentication).doc("Requests without credentials."),
}).doc("How requests are authenticated.");

const webhookAuthorizationFields = {
  cacheAuthorizedTTL: period(1)
    .default("5m0s")
    .doc("How long the permission of a SubjectAccessReview is cached."),
  cacheUnauthorizedTTL: period(2)
    .default("30s")
    .doc("How long the refusal of a SubjectAccessReview is cached."),
};
const WebhookAuthorization = struct(
  `${typePrefix}.KubeletWebhookAuthorization`,
  webhookAuthorizationFields,
)
  .defaults((draft) => dropZeroPeriods(webhookAuthorizationFields, draft))
  .doc("Authorization by the API server.");

/** How the requests to the server of a kubelet are authorized. */
export const KubeletAuthorization = struct(`${typePrefix}.KubeletAuthorization`, {
  mode: named(1, "v1beta1.KubeletAuthorizationMode")
    .known("AlwaysAllow", "Webhook")
    .default("Webhook")
    .doc(
      "Who authorizes requests: AlwaysAllow permits all of them, Webhook asks the API server by a SubjectAccessReview.",
    ),
  webhook: value(2, WebhookAuthorization).doc("Authorization by the API server."),
}).doc("How requests are authorized.");
