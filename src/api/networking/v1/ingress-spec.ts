import {
  int32,
  list,
  message,
  named,
  string,
  strings,
  value,
} from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isValidIpForLegacyField, parseIpSloppy } from "../../../schema/values/ip.ts";
import { isDns1123Subdomain, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { IngressBackend, validateIngressBackend } from "./ingress-backend.ts";
import {
  hasInvalidWildcardHostRule,
  hostMessages,
  IngressRule,
  validateIngressRules,
} from "./ingress-rule.ts";

export const IngressTLS = struct("io.k8s.api.networking.v1.IngressTLS", {
  hosts: strings(1).atomic().doc("The hosts in the certificate."),
  secretName: string(2).doc("The secret with the certificate and its key."),
}).doc("A certificate for hosts.");
export interface IngressTLS extends Infer<typeof IngressTLS> {}

export const IngressSpec = struct("io.k8s.api.networking.v1.IngressSpec", {
  ingressClassName: string(4).pointer().doc("The class, which says who carries the ingress out."),
  defaultBackend: message(1, IngressBackend).doc("What gets the requests that no rule is about."),
  tls: list(2, IngressTLS).atomic().doc("Certificates, by host."),
  rules: list(3, IngressRule).atomic().doc("Where requests go, by host."),
})
  .validatedElsewhere()
  .doc("What an ingress should be.");
export interface IngressSpec extends Infer<typeof IngressSpec> {}

export const IngressPortStatus = struct("io.k8s.api.networking.v1.IngressPortStatus", {
  port: int32(1).always().expected().doc("The port of the ingress."),
  protocol: named(2, "v1.Protocol")
    .always()
    .expected()
    .known("TCP", "UDP", "SCTP")
    .doc("The protocol of that port."),
  error: string(3).pointer().doc("What is wrong with the port, if anything is."),
}).doc("The state of one port of an ingress.");
export interface IngressPortStatus extends Infer<typeof IngressPortStatus> {}

export const IngressLoadBalancerIngress = struct(
  "io.k8s.api.networking.v1.IngressLoadBalancerIngress",
  {
    ip: string(1).doc("Address of the entry, where it has one."),
    hostname: string(2).doc("Name of the entry, where it has one."),
    ports: list(4, IngressPortStatus).atomic().doc("The state of each port."),
  },
).doc("One entry to a load balancer.");
export interface IngressLoadBalancerIngress extends Infer<typeof IngressLoadBalancerIngress> {}

export const IngressLoadBalancerStatus = struct(
  "io.k8s.api.networking.v1.IngressLoadBalancerStatus",
  {
    ingress: list(1, IngressLoadBalancerIngress).atomic().doc("Where traffic can be sent to."),
  },
).doc("The state of a load balancer.");
export interface IngressLoadBalancerStatus extends Infer<typeof IngressLoadBalancerStatus> {}

export const IngressStatus = struct("io.k8s.api.networking.v1.IngressStatus", {
  loadBalancer: value(1, IngressLoadBalancerStatus).doc("The state of its load balancer."),
}).doc("What an ingress is at present.");
export interface IngressStatus extends Infer<typeof IngressStatus> {}

/** The rules of a spec; faults of the old one that are no longer accepted pass again. */
export function validateIngressSpec(spec: IngressSpec, at: At, old: IngressSpec | undefined): void {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  if (rules.length === 0 && !defaultBackend)
    at.invalid("", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified");
  if (defaultBackend) validateIngressBackend(defaultBackend, at.child("defaultBackend"));
  validateIngressRules(rules, at.child("rules"), {
    allowInvalidWildcardHostRule: hasInvalidWildcardHostRule(old?.rules ?? []),
  });
  validateTls(tls, at.child("tls"), {
    allowInvalidSecretName: (old?.tls ?? []).some((entry) => secretMessages(entry).length > 0),
  });
  if (ingressClassName !== undefined)
    at.invalidEach("ingressClassName", ingressClassName, nameIsDnsSubdomain(ingressClassName));
}

function validateTls(
  tls: readonly IngressTLS[],
  at: At,
  { allowInvalidSecretName }: { readonly allowInvalidSecretName: boolean },
): void {
  for (const [i, entry] of tls.entries()) {
    const here = at.index(i);
    for (const [j, host] of (entry.hosts ?? []).entries())
      here.child("hosts").index(j).invalidEach("", host, hostMessages(host));
    if (!allowInvalidSecretName)
      here.invalidEach("secretName", entry.secretName, secretMessages(entry));
  }
}

const secretMessages = ({ secretName }: IngressTLS): readonly string[] =>
  secretName ? nameIsDnsSubdomain(secretName) : [];

/** The rules of a load balancer's state; addresses that were there before stay valid. */
export function validateIngressStatus(status: IngressStatus, old: IngressStatus, at: At): void {
  const validOld = (old.loadBalancer.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  const here = at.child("loadBalancer").child("ingress");
  for (const [i, { ip, hostname }] of (status.loadBalancer.ingress ?? []).entries()) {
    const entry = here.index(i);
    if (ip) entry.invalidEach("ip", ip, isValidIpForLegacyField(ip, { strict: true, validOld }));
    if (!hostname) continue;
    entry.invalidEach("hostname", hostname, isDns1123Subdomain(hostname));
    if (parseIpSloppy(hostname))
      entry.invalid("hostname", hostname, "must be a DNS name, not an IP address");
  }
}
