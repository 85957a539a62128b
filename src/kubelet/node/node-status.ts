import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import type { Image } from "../../cri/image-service.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { nodeConditionFindings, withConditionTimes } from "./node-conditions.ts";
import type { NodeConfig } from "./node-config.ts";
import type { NodeFindings } from "./node-findings.ts";
import { nodeResources } from "./node-resources.ts";

export interface NodeStatusInput {
  readonly config: NodeConfig;
  /** The state of the machine; by default that of a healthy one, as it is configured. */
  readonly findings?: NodeFindings | undefined;
  /** The node's status so far. */
  readonly previous: Partial<NodeStatus>;
  /** The largest first; undefined if they could not be listed. */
  readonly images: readonly Image[] | undefined;
  readonly now: number;
}

/** Computes the status of a node; fields that others wrote are kept. */
export function nodeStatus(input: NodeStatusInput): NodeStatus {
  const { config, findings = {}, previous, images, now } = input;
  const { reserved = {} } = config;
  const { evictionReserve = {}, volumesInUse, addresses = [config.address] } = findings;
  const resources = nodeResources({
    previous: previous as { readonly capacity?: Record<string, string> },
    capacity: { ...config.capacity, ...findings.capacity, ...findings.devices?.capacity },
    reserves: [reserved, evictionReserve],
    allocatable: findings.devices?.allocatable,
  });
  const problems = [
    ...(findings.problems ?? []),
    ...missingResources(resources.capacity, findings),
  ];
  const { images: _images, volumesInUse: inUse, ...others } = previous;
  return {
    ...others,
    ...resources,
    conditions: withConditionTimes(
      nodeConditionFindings({ ...findings, problems }),
      previous.conditions ?? [],
      now,
    ),
    addresses: nodeAddresses(input, addresses),
    daemonEndpoints: { kubeletEndpoint: { Port: config.port } },
    nodeInfo: { ...config.info, ...findings.info },
    ...nonEmpty("images", images ? imagesOf(images, config) : previous.images),
    ...nonEmpty("volumesInUse", volumesInUse ?? inUse),
    ...runtimeFields(findings, input),
    declaredFeatures: config.declaredFeatures ?? usualFeatures,
  } as unknown as NodeStatus;
}

/** The addresses of a node. A cloud provider writes them itself, and needs one until then only if it was configured. */
function nodeAddresses(
  { config, previous }: NodeStatusInput,
  found: readonly string[],
): NodeStatus["addresses"] {
  const { name, cloudProvider } = config;
  if (cloudProvider && previous.addresses?.length) return previous.addresses;
  const internal = cloudProvider && !cloudProvider.hasAddress ? [] : found;
  return [
    ...internal.map((address) => ({ type: "InternalIP", address })),
    { type: "Hostname", address: name },
  ];
}

/** A field that is absent while it is empty. */
const nonEmpty = (name: string, list: readonly unknown[] | undefined): object | undefined =>
  list?.length ? { [name]: list } : undefined;

/** Every node has these resources; storage only if it is limited. */
function missingResources(
  capacity: Readonly<Record<string, string>>,
  { hasStorage = true }: NodeFindings,
): readonly string[] {
  const missing = ["cpu", "memory", "pods", ...(hasStorage ? ["ephemeral-storage"] : [])].filter(
    (name) => !Object.hasOwn(capacity, name),
  );
  if (missing.length === 0) return [];
  return [`missing node capacity for resources: ${missing.join(", ")}`];
}

/** What the runtime can do; until it is known, as before. */
function runtimeFields({ runtime }: NodeFindings, { findings }: NodeStatusInput) {
  if (!findings) return usualRuntime;
  if (!runtime) return undefined;
  const { handlers, features } = runtime;
  const { supplementalGroupsPolicy } = features;
  return {
    runtimeHandlers: [...handlers]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, recursiveReadOnlyMounts, userNamespaces }) => ({
        name,
        features: { recursiveReadOnlyMounts, userNamespaces },
      })),
    features: { supplementalGroupsPolicy },
  };
}

const usualRuntime = {
  runtimeHandlers: [
    { name: "", features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
  ],
  features: { supplementalGroupsPolicy: true },
};

/** The features that a kubelet declares by default. */
const usualFeatures = [
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

/** How many images are reported by default, and how many names of each. */
const usualMaxImages = 50;
const mostNames = 5;

const imagesOf = (images: readonly Image[], { maxImages = usualMaxImages }: NodeConfig) =>
  images
    .slice(0, maxImages < 0 ? undefined : maxImages)
    .map(({ repoDigests, repoTags, sizeBytes }) => ({
      names: [...repoDigests, ...repoTags].slice(0, mostNames),
      sizeBytes,
    }));
