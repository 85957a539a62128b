import type { Node } from "../../api/core/v1/node/node.ts";
import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import type { NodeConfig } from "./node-config.ts";

/** A node as its kubelet registers it. */
export function initialNode(config: NodeConfig, status: NodeStatus): Partial<Node> {
  const { name, labels, isUnschedulable, podCidr, providerID, cloudProvider } = config;
  const taints = [...(config.taints ?? []), ...(cloudProvider ? [uninitialized] : [])];
  const { operatingSystem: os, architecture: arch } = status.nodeInfo ?? {};
  return {
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": arch,
        "beta.kubernetes.io/os": os,
        "kubernetes.io/arch": arch,
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": os,
        ...labels,
      },
      annotations: {
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        ...addressAnnotation(config),
      },
    },
    spec: {
      ...(podCidr && { podCIDR: podCidr.split(",")[0], podCIDRs: podCidr.split(",") }),
      ...(providerID && { providerID }),
      ...(taints.length > 0 && { taints }),
      ...(isUnschedulable && { unschedulable: true }),
    },
    status,
  } as unknown as Partial<Node>;
}

/** Keeps pods away until the cloud provider has initialized the node. */
const uninitialized = {
  key: "node.cloudprovider.kubernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule",
} as const;

/** Tells the cloud provider which addresses are the node's. */
export const addressAnnotation = ({
  cloudProvider,
}: Pick<NodeConfig, "cloudProvider">): Readonly<Record<string, string>> =>
  cloudProvider?.addresses
    ? { "alpha.kubernetes.io/provided-node-ip": cloudProvider.addresses }
    : {};

/** The labels that a kubelet restores on an existing node. */
export function defaultLabels(initial: Partial<Node>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(initial.metadata?.labels ?? {}).filter(([key]) => renewedLabels.has(key)),
  );
}

const renewedLabels = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);
