import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** What happened to objects, as bits: an event may stand for several. */
export const actions = {
  add: 1,
  delete: 2,
  updateNodeAllocatable: 4,
  updateNodeLabel: 8,
  updateNodeTaint: 16,
  updateNodeCondition: 32,
  updateNodeAnnotation: 64,
  updateNodeDeclaredFeature: 128,
  updatePodLabel: 256,
  updatePodScaleDown: 512,
  updatePodToleration: 1024,
  updatePodSchedulingGatesEliminated: 2048,
  updatePodGeneratedResourceClaim: 4096,
  /** Any of the changes above, or one that none of them describes. */
  update: 8188,
  all: 8191,
} as const;

/** Whose objects: a kind by upstream's name for it, or `PLURAL.VERSION.GROUP`. */
export type EventResource = string;

export const anyResource: EventResource = "*";
export const podResource: EventResource = "Pod";
export const nodeResource: EventResource = "Node";

/** Something that happens in a cluster and may make a pod schedulable. */
export interface ClusterEvent {
  readonly resource: EventResource;
  /** Bits of `actions`. */
  readonly action: number;
  /** What metrics call it, where it is no event of an object. */
  readonly name?: string | undefined;
}

/** An event that may change a plugin's mind, and what decides whether it does. */
export interface RegisteredEvent {
  readonly event: ClusterEvent;
  /** Every such event does if not given. A hint that throws counts as one that does. */
  readonly hint?: QueueingHint | undefined;
}

/**
 * Whether a pod that the plugin turned away is worth another try. `old` and `now` are the object
 * before and after; it was created where `old` is missing, and deleted where `now` is.
 */
export type QueueingHint = (
  pod: Pod,
  change: { readonly old?: unknown; readonly now?: unknown },
) => "Queue" | "QueueSkip";

/** Pods that are on a node, and those that wait: both are pods for whoever registers for pods. */
const assigned = "AssignedPod";
const unscheduled = "UnschedulablePod";

export const assignedPodAdd: ClusterEvent = { resource: assigned, action: actions.add };
export const assignedPodDelete: ClusterEvent = { resource: assigned, action: actions.delete };
export const unscheduledPodAdd: ClusterEvent = { resource: unscheduled, action: actions.add };
export const unscheduledPodUpdate: ClusterEvent = { resource: unscheduled, action: actions.update };
export const unschedulableTimeout: ClusterEvent = {
  resource: anyResource,
  action: actions.all,
  name: "UnschedulableTimeout",
};
export const forceActivate: ClusterEvent = {
  resource: anyResource,
  action: actions.all,
  name: "ForceActivate",
};

/** The event of an update of a pod. */
export const podUpdate = (isAssigned: boolean, action: number): ClusterEvent => ({
  resource: isAssigned ? assigned : unscheduled,
  action,
});

export const isWildcard = ({ resource, action }: ClusterEvent): boolean =>
  resource === anyResource && action === actions.all;

/** Whether what was registered for means something that happened. */
export function eventMeans(registered: ClusterEvent, happened: ClusterEvent): boolean {
  if (isWildcard(registered)) return true;
  return (
    resourceMeans(registered.resource, happened.resource) &&
    (registered.action & happened.action) !== 0 &&
    happened.action <= registered.action
  );
}

/** What metrics call an event: `NodeAdd`, `AssignedPodDelete`. */
export const eventLabel = ({ resource, action, name }: ClusterEvent): string =>
  name ?? `${resource}${actionNames.get(action) ?? ""}`;

/** What a plugin is told of that turns pods away and does not say what may change its mind. */
export const allEvents: readonly RegisteredEvent[] = [
  podResource,
  nodeResource,
  "PersistentVolume",
  "PersistentVolumeClaim",
  "storage.k8s.io/CSINode",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/CSIStorageCapacity",
  "storage.k8s.io/StorageClass",
  "resource.k8s.io/ResourceClaim",
  "resource.k8s.io/DeviceClass",
].map((resource) => ({ event: { resource, action: actions.all } }));

const actionNames: ReadonlyMap<number, string> = new Map(
  Object.entries(actions).map(([name, bits]) => [bits, name[0]?.toUpperCase() + name.slice(1)]),
);

const resourceMeans = (registered: EventResource, happened: EventResource): boolean =>
  registered === anyResource ||
  registered === happened ||
  (registered === podResource && (happened === assigned || happened === unscheduled));
