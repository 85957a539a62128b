import { isEmptyLabelSelector } from "../../../api/meta/v1/label-selector.ts";
import type {
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../../api/networking/v1/network-policy-spec.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { selectorText } from "../selector-text.ts";
import { goTimeText } from "../time-text.ts";

export const describeNetworkPolicy = objectDescriber(
  describedKinds.networkPolicy,
  (d, { metadata, spec }) => {
    d.field("Name", metadata.name ?? "");
    d.field("Namespace", metadata.namespace ?? "");
    d.field("Created on", goTimeText(metadata.creationTimestamp));
    metadataLines(d, metadata);
    d.line("Spec:");
    specLines(d, spec);
  },
);

function specLines(d: Description, spec: NetworkPolicySpec): void {
  const { podSelector = {}, policyTypes = [], ingress = [], egress = [] } = spec;
  d.write("PodSelector: ", 1);
  const none = "<none> (Allowing the specific traffic to all pods in this namespace)";
  d.line(isEmptyLabelSelector(podSelector) ? none : selectorText(podSelector), 2);
  if (policyTypes.includes("Ingress")) {
    d.line("Allowing ingress traffic:", 1);
    const rules = ingress.map(({ ports, from }) => ({ ports, peers: from }));
    ruleLines(d, rules, { way: "ingress", peer: "From", end: "source" });
  } else d.line("Not affecting ingress traffic", 1);
  if (policyTypes.includes("Egress")) {
    d.line("Allowing egress traffic:", 1);
    const rules = egress.map(({ ports, to }) => ({ ports, peers: to }));
    ruleLines(d, rules, { way: "egress", peer: "To", end: "destination" });
  } else d.line("Not affecting egress traffic", 1);
  d.line(`Policy Types: ${policyTypes.join(", ") || "<none>"}`, 1);
}

interface Rule {
  readonly ports: readonly NetworkPolicyPort[] | undefined;
  readonly peers: readonly NetworkPolicyPeer[] | undefined;
}

/** What differs between traffic to the pods and from them. */
interface Direction {
  readonly way: string;
  readonly peer: string;
  readonly end: string;
}

function ruleLines(d: Description, rules: readonly Rule[], { way, peer, end }: Direction): void {
  if (rules.length === 0) d.line(`<none> (Selected pods are isolated for ${way} connectivity)`, 2);
  for (const [at, { ports = [], peers = [] }] of rules.entries()) {
    if (at > 0) d.line("----------", 2);
    if (ports.length === 0) d.line("To Port: <any> (traffic allowed to all ports)", 2);
    for (const port of ports) d.line(portText(port), 2);
    if (peers.length === 0) d.line(`${peer}: <any> (traffic not restricted by ${end})`, 2);
    for (const one of peers) {
      d.line(`${peer}:`, 2);
      peerLines(d, one);
    }
  }
}

function portText({ port = "<nil>", endPort, protocol = "TCP" }: NetworkPolicyPort): string {
  return endPort === undefined
    ? `To Port: ${port}/${protocol}`
    : `To Port Range: ${port}-${endPort}/${protocol}`;
}

function peerLines(
  d: Description,
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
): void {
  if (namespaceSelector) d.line(`NamespaceSelector: ${selectorText(namespaceSelector)}`, 3);
  if (podSelector) d.line(`PodSelector: ${selectorText(podSelector)}`, 3);
  if (namespaceSelector || podSelector || !ipBlock) return;
  d.line("IPBlock:", 3);
  d.line(`CIDR: ${ipBlock.cidr}`, 4);
  d.line(`Except: ${(ipBlock.except ?? []).join(", ")}`, 4);
}
