import { inline, list, message, named, string, value } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { parseIpSloppy } from "../../../schema/values/ip.ts";
import { isDns1123Subdomain, isWildcardDns1123Subdomain } from "../../../schema/values/names.ts";
import { IngressBackend, validateIngressBackend } from "./ingress-backend.ts";

export const HTTPIngressPath = struct("io.k8s.api.networking.v1.HTTPIngressPath", {
  path: string(1).doc("What the path of a request is compared with; begins with a slash."),
  pathType: named(3, "v1.PathType")
    .nullable()
    .expected()
    .known("Exact", "Prefix", "ImplementationSpecific")
    .doc("How the path is compared."),
  backend: value(2, IngressBackend).expected().doc("What gets the requests."),
}).doc("Where requests with a path go.");
export interface HTTPIngressPath extends Infer<typeof HTTPIngressPath> {}

export const HTTPIngressRuleValue = struct("io.k8s.api.networking.v1.HTTPIngressRuleValue", {
  paths: list(1, HTTPIngressPath).always().expected().atomic().doc("Where requests go, by path."),
}).doc("Where the HTTP requests for a host go.");
export interface HTTPIngressRuleValue extends Infer<typeof HTTPIngressRuleValue> {}

const IngressRuleValue = struct("io.k8s.api.networking.v1.IngressRuleValue", {
  http: message(1, HTTPIngressRuleValue).doc("Where HTTP requests go; without it, the default."),
});

export const IngressRule = struct("io.k8s.api.networking.v1.IngressRule", {
  host: string(1).doc("The host that is asked for, or `*.` and a domain; without it, any."),
  ...inline(2, IngressRuleValue),
}).doc("Where requests for a host go.");
export interface IngressRule extends Infer<typeof IngressRule> {}

export interface IngressRuleOptions {
  /** What stands under a host with a wildcard is not looked at. */
  readonly allowInvalidWildcardHostRule: boolean;
}

export function validateIngressRules(
  rules: readonly IngressRule[],
  at: At,
  { allowInvalidWildcardHostRule }: IngressRuleOptions,
): void {
  for (const [i, { host = "", http }] of rules.entries()) {
    const here = at.index(i);
    if (host !== "" && parseIpSloppy(host))
      here.invalid("host", host, "must be a DNS name, not an IP address");
    if (host !== "") here.invalidEach("host", host, hostMessages(host));
    if (http && !(host.includes("*") && allowInvalidWildcardHostRule))
      validateHttp(http, here.child("http"));
  }
}

/** Whether something under a host with a wildcard is not valid. */
export const hasInvalidWildcardHostRule = (rules: readonly IngressRule[]): boolean =>
  rules.some(({ host = "", http }) => {
    if (!http || !host.includes("*")) return false;
    const report = At.root();
    validateHttp(http, report);
    return report.errors.length > 0;
  });

/** A domain, whose first label may be a star. */
export const hostMessages = (host: string): readonly string[] =>
  host.includes("*") ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);

function validateHttp({ paths }: HTTPIngressRuleValue, at: At): void {
  const here = at.child("paths");
  if ((paths ?? []).length === 0) here.required();
  for (const [i, path] of (paths ?? []).entries()) validatePath(path, here.index(i));
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

function validatePath({ path = "", pathType, backend }: HTTPIngressPath, at: At): void {
  if (pathType === undefined || pathType === null) {
    at.required("pathType", "pathType must be specified");
    return;
  }
  if (!pathTypes.includes(pathType)) at.notSupported("pathType", pathType, pathTypes);
  else if (pathType !== "ImplementationSpecific") validatePlainPath(path, at);
  else if (path !== "" && !path.startsWith("/"))
    at.invalid("path", path, "must be an absolute path");
  validateIngressBackend(backend, at.child("backend"));
}

/** A path that is compared as it stands must not be written in a roundabout way. */
function validatePlainPath(path: string, at: At): void {
  if (!path.startsWith("/")) at.invalid("path", path, "must be an absolute path");
  for (const part of ["//", "/./", "/../", "%2f", "%2F"])
    if (path.includes(part)) at.invalid("path", path, `must not contain '${part}'`);
  for (const end of ["/..", "/."])
    if (path.endsWith(end)) at.invalid("path", path, `cannot end with '${end}'`);
}
