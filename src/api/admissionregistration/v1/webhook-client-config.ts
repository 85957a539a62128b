import { bytes, int32, message, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { isDns1123Subdomain, isValidPortNum } from "../../../schema/values/names.ts";

export const ServiceReference = struct("io.k8s.api.admissionregistration.v1.ServiceReference", {
  namespace: string(1).always().expected().doc("The namespace of the service."),
  name: string(2).always().expected().doc("The name of the service."),
  path: string(3).pointer().doc("The path that requests are sent to."),
  port: int32(4).pointer().default(443).doc("The port of the service."),
}).doc("A service that answers webhook calls.");
export interface ServiceReference extends Infer<typeof ServiceReference> {}

export const WebhookClientConfig = struct(
  "io.k8s.api.admissionregistration.v1.WebhookClientConfig",
  {
    url: string(3).pointer().doc("Where the webhook is, as a URL."),
    service: message(1, ServiceReference).doc("Where the webhook is, as a service."),
    caBundle: bytes(2).doc("The certificates (PEM) that vouch for its server."),
  },
).doc("How a webhook is reached.");
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}

/** The rules of how a webhook is reached: by a URL or by a service. */
export function validateWebhookClientConfig(
  { url, service }: Pick<WebhookClientConfig, "url" | "service">,
  at: At,
): void {
  if ((url === undefined) === !service)
    at.required("", "exactly one of url or service is required");
  else if (url !== undefined) validateWebhookUrl(url, at.child("url"));
  // Upstream hands over name and namespace the wrong way round: the errors say so.
  else if (service)
    validateWebhookService(
      { ...service, name: service.namespace, namespace: service.name },
      at.child("service"),
    );
}

/** The rules of a webhook's URL: HTTPS, and nothing but a host and a path. */
function validateWebhookUrl(text: string, at: At): void {
  const form = "; desired format: https://host[/path]";
  const url = parseGoUrl(text);
  if (typeof url === "string") {
    at.required("", `url must be a valid URL: ${url}${form}`);
    return;
  }
  const { scheme, host, user, fragment, query } = url;
  if (scheme !== "https") at.invalid("", scheme, `'https' is the only allowed URL scheme${form}`);
  if (host === "") at.invalid("", host, `host must be specified${form}`);
  if (user !== undefined) at.invalid("", user, "user information is not permitted in the URL");
  if (fragment !== "") at.invalid("", fragment, "fragments are not permitted in the URL");
  if (query !== "") at.invalid("", query, "query parameters are not permitted in the URL");
}

/** The rules of a webhook's service: it has a name, and its path is made of names. */
function validateWebhookService(
  { name, namespace, path = "", port = 0 }: ServiceReference,
  at: At,
): void {
  if (name === "") at.required("name");
  if (namespace === "") at.required("namespace");
  const ofPort = isValidPortNum(port);
  if (ofPort.length > 0) at.invalid("port", port, `port is not valid: ${ofPort.join(", ")}`);
  if (path === "" || path === "/") return;
  if (path === "//") {
    at.invalid("path", path, "segment[0] may not be empty");
    return;
  }
  if (!path.startsWith("/")) at.invalid("path", path, "must start with a '/'");
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  for (const [i, segment] of segments.entries()) {
    if (segment === "") at.invalid("path", path, `segment[${i}] may not be empty`);
    else
      for (const message of isDns1123Subdomain(segment))
        at.invalid("path", path, `segment[${i}]: ${message}`);
  }
}
