import type { WebhookClientConfig } from "../../../api/admissionregistration/v1/webhook-client-config.ts";
import { caBundleFault } from "../../../api/apiextensions/v1/custom-resource-conversion-validation.ts";
import { textOfBytes } from "../../../api/certificates/x509/pem.ts";
import { decodeBase64 } from "../../../base/base64.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import type { ServicePort } from "../cluster-service.ts";
import { joinPaths, type Location } from "../location.ts";

/** Where a webhook is. */
export interface WebhookLocation {
  /** Of a service, its host is the name of the service, for which its certificate must be valid. */
  readonly location: Location;
  /** The service to connect to, if the webhook is not at the host of the location. */
  readonly service?: ServicePort;
}

/** The location of a webhook by its configuration; throws if that cannot be used. */
export function webhookLocation(config: WebhookClientConfig): WebhookLocation {
  const { service, url = "", caBundle } = config;
  const tls = trusted(caBundle);
  if (service) {
    const { namespace, name, path = "", port } = service;
    const host = `${name}.${namespace}.svc`;
    const location = { ...at(path, `${host}:${port}`), tls: { ...tls, serverName: host } };
    return { location, service: { namespace, name, port } };
  }
  if (url === "") throw new Error("webhook configuration must have either service or URL");
  const parsed = parseGoUrl(url);
  if (typeof parsed === "string") throw new Error(`Unparsable URL: ${parsed}`);
  const scheme = parsed.scheme === "http" ? "http" : "https";
  return { location: { ...at(parsed.path, parsed.host), scheme, tls } };
}

const at = (path: string, host: string) =>
  ({ scheme: "https", host, path: joinPaths("/", path), query: "" }) as const;

/** Without certificates of its own, a webhook's certificate is verified by those that the machine trusts. */
function trusted(caBundle: string | undefined): Location["tls"] {
  const fault = caBundleFault(caBundle);
  if (fault !== undefined) throw new Error(fault);
  return caBundle ? { ca: textOfBytes(decodeBase64(caBundle)) } : {};
}
