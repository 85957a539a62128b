import type { Node } from "../../api/core/v1/node/node.ts";
import type { NodeCondition, NodeStatus } from "../../api/core/v1/node/node-status.ts";
import { isExtendedResource } from "../../api/core/v1/resource-name.ts";
import type { Image } from "../../cri/image-service.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import {
  formatQuantity,
  parseQuantity,
  quantitySign,
  subtractQuantities,
} from "../../schema/values/quantity.ts";
import { timeText } from "../pod/container/container-statuses.ts";
import type { NodeConfig } from "./node-config.ts";

export interface NodeStatusInput {
  readonly config: NodeConfig;
  /** The node's status so far. */
  readonly previous: Partial<NodeStatus>;
  readonly images: readonly Image[];
  readonly now: number;
}

/** Computes the status of a node; fields that others wrote are kept. */
export function nodeStatus({ config, previous, images, now }: NodeStatusInput): NodeStatus {
  const { reserved = {} } = config;
  // Others may add resources to a node, which are fully allocatable.
  const capacity = { ...previous.capacity, ...config.capacity };
  return {
    ...previous,
    capacity,
    allocatable: {
      ...stillThere(previous.allocatable ?? {}, capacity),
      ...without(capacity, reserved),
    },
    conditions: conditionsOf(previous.conditions ?? [], now),
    addresses: [
      { type: "InternalIP", address: config.address },
      { type: "Hostname", address: config.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: config.port } },
    nodeInfo: config.info,
    ...imagesOf(images),
    runtimeHandlers: [
      { name: "", features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
    ],
    features: { supplementalGroupsPolicy: true },
    declaredFeatures,
  } as unknown as NodeStatus;
}

/** The declared features of this kubelet. */
const declaredFeatures = [
  "ExtendWebSocketsToKubelet",
  "InPlacePodLevelResourcesVerticalScaling",
  "InPlacePodVerticalScalingInitContainers",
  "RestartAllContainersOnContainerExits",
];

/** Whether two statuses differ in more than their heartbeat times. */
export function hasNodeChanged(previous: Partial<NodeStatus>, status: NodeStatus): boolean {
  const still = ({ conditions = [], ...rest }: Partial<NodeStatus>): unknown => ({
    ...rest,
    conditions: [...conditions]
      .map(({ lastHeartbeatTime: _, ...condition }) => condition)
      .sort((a, b) => (a.type < b.type ? -1 : 1)),
  });
  return !sameJson(still(previous), still(status));
}

/** The conditions of a healthy node; Ready is the last. */
const findings = [
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
  {
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    message: "kubelet is posting ready status",
  },
] as const;

/** The events for changed conditions of a node. */
export function nodeTransitions(previous: readonly NodeCondition[]): readonly string[] {
  const words = {
    MemoryPressure: "NodeHasSufficientMemory",
    DiskPressure: "NodeHasNoDiskPressure",
    PIDPressure: "NodeHasSufficientPID",
    Ready: "NodeReady",
  };
  return findings
    .filter(({ type, status }) => previous.find((old) => old.type === type)?.status !== status)
    .map(({ type }) => words[type]);
}

function conditionsOf(previous: readonly NodeCondition[], now: number): NodeCondition[] {
  const time = timeText(now);
  const own = findings.map((found): NodeCondition => {
    const old = previous.find(({ type }) => type === found.type);
    const since = old?.status === found.status ? old.lastTransitionTime : time;
    return { ...found, lastHeartbeatTime: time, lastTransitionTime: since } as NodeCondition;
  });
  const others = previous.filter(({ type }) => !findings.some((found) => found.type === type));
  return [...others, ...own];
}

/** How many images are reported, and how many names of each. */
const mostImages = 50;
const mostNames = 5;

function imagesOf(images: readonly Image[]): Pick<NodeStatus, "images"> | undefined {
  if (images.length === 0) return undefined;
  return {
    images: images.slice(0, mostImages).map(({ repoDigests, repoTags, sizeBytes }) => ({
      names: [...repoDigests, ...repoTags].slice(0, mostNames),
      sizeBytes,
    })),
  } as Pick<NodeStatus, "images">;
}

/** The resources without those that a node no longer reports. */
const stillThere = (
  amounts: Readonly<Record<string, string>>,
  capacity: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(amounts).filter(
      ([name]) => Object.hasOwn(capacity, name) || !isExtendedResource(name),
    ),
  );

/** Subtracts resources. */
function without(
  amounts: Readonly<Record<string, string>>,
  less: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => {
      const minus = less[name];
      if (minus === undefined) return [name, amount];
      const left = subtractQuantities(parseQuantity(amount), parseQuantity(minus));
      return [name, quantitySign(left) < 0 ? "0" : formatQuantity(left)];
    }),
  );
}

/** A node as its kubelet registers it. */
export function initialNode(config: NodeConfig, status: NodeStatus): Partial<Node> {
  const { name, info, labels, taints = [], isUnschedulable, podCidr, providerID } = config;
  const { operatingSystem: os, architecture: arch } = info ?? {};
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
      annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
    },
    spec: {
      ...(podCidr && { podCIDR: podCidr, podCIDRs: [podCidr] }),
      ...(providerID && { providerID }),
      ...(taints.length > 0 && { taints }),
      ...(isUnschedulable && { unschedulable: true }),
    },
    status,
  } as unknown as Partial<Node>;
}

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
