import { value } from "../../../schema/language/field.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { getWarningsForIp } from "../../../schema/values/ip.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import type { IngressRule } from "./ingress-rule.ts";
import {
  IngressSpec,
  IngressStatus,
  validateIngressSpec,
  validateIngressStatus,
} from "./ingress-spec.ts";

/** The annotation that named the class before there was a field for it. */
const ingressClassAnnotation = "kubernetes.io/ingress.class";

export const Ingress = kind({
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  shortNames: ["ing"],
  scope: "Namespaced",
  storagePrefix: "ingress",
  doc: "Says which services get HTTP requests from outside, by host and path.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, IngressSpec).doc("What the ingress should be."),
    status: value(3, IngressStatus).doc("What the ingress is at present."),
  },
  subresources: ["status"],
  rules: [
    ({ metadata, spec }, at) => {
      validateIngressSpec(spec, at.child("spec"), undefined);
      const named = metadata.annotations?.[ingressClassAnnotation];
      const { ingressClassName } = spec;
      if (named !== undefined && ingressClassName !== undefined && named !== ingressClassName)
        at.invalid(
          `annotations.${ingressClassAnnotation}`,
          named,
          "must match `ingressClassName` when both are specified",
        );
    },
  ],
  updateRules({ spec }, old, { at, metadata }) {
    metadata();
    validateIngressSpec(spec, at.child("spec"), old.spec);
  },
  statusRules: ({ status }, old, { at }) =>
    validateIngressStatus(status, old.status, at.child("status")),
  strategy: {
    initialStatus: { loadBalancer: {} },
    generation: { spec: sameValue },
    warnings({ metadata, spec }, old) {
      const annotated = metadata.annotations?.[ingressClassAnnotation] !== undefined;
      if (old || !annotated || spec.ingressClassName !== undefined) return [];
      return [
        `annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`,
      ];
    },
    statusWarnings: ({ status }) =>
      (status.loadBalancer.ingress ?? []).flatMap(({ ip }, i) =>
        ip ? getWarningsForIp(`status.loadBalancer.ingress[${i}]`, ip) : [],
      ),
  },
  columns: [
    nameColumn,
    {
      name: "Class",
      type: "string",
      description:
        "The name of the IngressClass resource that should be used for additional configuration",
      cell: ({ spec }) => spec.ingressClassName ?? "<none>",
    },
    {
      name: "Hosts",
      type: "string",
      description: "Hosts that incoming requests are matched against before the ingress rule",
      cell: ({ spec }) => formatHosts(spec.rules ?? []),
    },
    {
      name: "Address",
      type: "string",
      description: "Address is a list containing ingress points for the load-balancer",
      cell: ({ status }) => formatAddresses(status),
    },
    {
      name: "Ports",
      type: "string",
      description: "Ports of TLS configurations that open",
      cell: ({ spec }) => ((spec.tls ?? []).length > 0 ? "80, 443" : "80"),
    },
    ageColumn,
  ],
});
export interface Ingress extends ObjectOf<typeof Ingress> {}

const maxShown = 3;

/** The first few hosts; a rule that comes after them counts as more, whether it names a host or not. */
function formatHosts(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === maxShown) more = true;
    else if (host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - maxShown} more...` : hosts.join(",");
}

function formatAddresses({ loadBalancer }: IngressStatus): string {
  const entries = (loadBalancer.ingress ?? []).flatMap(({ ip, hostname }) => {
    const entry = ip || hostname;
    return entry ? [entry] : [];
  });
  return [...new Set(entries)].sort().join(",");
}
