import { bool, list, message, named, string, strings } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { Taint } from "../scheduling/taint.ts";

export const ConfigMapNodeConfigSource = struct("io.k8s.api.core.v1.ConfigMapNodeConfigSource", {
  namespace: string(1).always().expected().doc("Namespace of the ConfigMap."),
  name: string(2).always().expected().doc("Name of the ConfigMap."),
  uid: named(3, "types.UID").doc("UID of the ConfigMap."),
  resourceVersion: string(4).doc("Version of the ConfigMap."),
  kubeletConfigKey: string(5).always().expected().doc("The key that holds the configuration."),
}).doc("A ConfigMap with a kubelet's configuration; the feature is gone.");
export interface ConfigMapNodeConfigSource extends Infer<typeof ConfigMapNodeConfigSource> {}

export const NodeConfigSource = struct("io.k8s.api.core.v1.NodeConfigSource", {
  configMap: message(2, ConfigMapNodeConfigSource).doc("The ConfigMap."),
}).doc("Where a kubelet's configuration comes from; the feature is gone.");
export interface NodeConfigSource extends Infer<typeof NodeConfigSource> {}

export const NodeSpec = struct("io.k8s.api.core.v1.NodeSpec", {
  podCIDR: string(1).doc("The network of the node's pods: the first of podCIDRs."),
  podCIDRs: strings(7).set().merge().doc("The networks of the node's pods, one of a family."),
  providerID: string(3).doc("What the cloud provider calls the node."),
  unschedulable: bool(4).doc("Whether new pods are kept away from it."),
  taints: list(5, Taint).atomic().doc("What keeps away pods that do not tolerate it."),
  configSource: message(6, NodeConfigSource).doc("Unused; dynamic configuration is gone."),
  externalID: string(2).doc("Unused."),
})
  .defaults((spec) => {
    // Older clients know the singular only: it wins where the two differ.
    if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
    else if (spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
  })
  .doc("What a node is meant to be.");
export interface NodeSpec extends Infer<typeof NodeSpec> {}
