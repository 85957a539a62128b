import {
  int32,
  intOrString,
  list,
  listOf,
  message,
  named,
  string,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { namedString } from "../../../schema/language/type.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";

export const IPBlock = struct("io.k8s.api.networking.v1.IPBlock", {
  cidr: string(1).always().expected().doc("The addresses, as a CIDR."),
  except: strings(2).atomic().doc("Parts of it that are not meant, as CIDRs."),
}).doc("Addresses, and the exceptions among them.");
export interface IPBlock extends Infer<typeof IPBlock> {}

export const NetworkPolicyPort = struct("io.k8s.api.networking.v1.NetworkPolicyPort", {
  protocol: named(1, "v1.Protocol")
    .pointer()
    .known("TCP", "UDP", "SCTP")
    .default("TCP")
    .doc("The protocol of the port."),
  port: intOrString(2).doc("The port, by number or by name; without it, all ports."),
  endPort: int32(3).pointer().doc("The last port of a range that begins with the port."),
}).doc("A port to which traffic is allowed.");
export interface NetworkPolicyPort extends Infer<typeof NetworkPolicyPort> {}

export const NetworkPolicyPeer = struct("io.k8s.api.networking.v1.NetworkPolicyPeer", {
  podSelector: message(1, LabelSelector).doc("Labels of pods."),
  namespaceSelector: message(2, LabelSelector).doc(
    "Labels of the namespaces of the pods; without it, the policy's own namespace.",
  ),
  ipBlock: message(3, IPBlock).doc("Addresses; nothing else may stand beside it."),
}).doc("Somebody with whom traffic is allowed.");
export interface NetworkPolicyPeer extends Infer<typeof NetworkPolicyPeer> {}

export const NetworkPolicyIngressRule = struct(
  "io.k8s.api.networking.v1.NetworkPolicyIngressRule",
  {
    ports: list(1, NetworkPolicyPort).atomic().doc("Ports that can be reached; empty: all."),
    from: list(2, NetworkPolicyPeer).atomic().doc("Who can reach them; empty: everybody."),
  },
).doc("Traffic to the pods that is allowed.");
export interface NetworkPolicyIngressRule extends Infer<typeof NetworkPolicyIngressRule> {}

export const NetworkPolicyEgressRule = struct("io.k8s.api.networking.v1.NetworkPolicyEgressRule", {
  ports: list(1, NetworkPolicyPort).atomic().doc("Ports that can be reached; empty: all."),
  to: list(2, NetworkPolicyPeer).atomic().doc("Whom the pods can reach; empty: everybody."),
}).doc("Traffic from the pods that is allowed.");
export interface NetworkPolicyEgressRule extends Infer<typeof NetworkPolicyEgressRule> {}

export const NetworkPolicySpec = struct("io.k8s.api.networking.v1.NetworkPolicySpec", {
  podSelector: value(1, LabelSelector).doc("The pods that the policy is about; empty: all."),
  ingress: list(2, NetworkPolicyIngressRule).atomic().doc("Traffic to them that is allowed."),
  egress: list(3, NetworkPolicyEgressRule).atomic().doc("Traffic from them that is allowed."),
  policyTypes: listOf(4, namedString("v1.PolicyType"))
    .known("Ingress", "Egress")
    .atomic()
    .doc("Which directions the policy is about."),
})
  .defaults((spec) => {
    // Ingress is always meant, egress where there are rules for it.
    if ((spec.policyTypes ?? []).length === 0)
      spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  })
  .validatedElsewhere()
  .doc("Which traffic of which pods is allowed.");
export interface NetworkPolicySpec extends Infer<typeof NetworkPolicySpec> {}
