import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** The types of cluster events, as bits that can be combined. */
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
  /** Any of the updates above, or another one. */
  update: 8188,
  all: 8191,
} as const;

/** The resource of an event: upstream's name for a kind, or `PLURAL.VERSION.GROUP`. */
export type EventResource = string;

export const anyResource: EventResource = "*";
export const podResource: EventResource = "Pod";
export const nodeResource: EventResource = "Node";

/** A change in the cluster that may make a pod schedulable. */
export interface ClusterEvent {
  readonly resource: EventResource;
  /** Bits of `actions`. */
  readonly action: number;
  /** The label in metrics, for events that are not about an object. */
  readonly name?: string | undefined;
}

/** An event that may make a pod schedulable which the plugin has rejected, and an optional hint. */
export interface RegisteredEvent {
  readonly event: ClusterEvent;
  /** Default: every such event requeues the pod. So does a hint that throws. */
  readonly hint?: QueueingHint | undefined;
}

/**
 * A queueing hint: whether an event may make a pod schedulable that the plugin has rejected. `old` is
 * undefined when the object was created, `now` when it was deleted.
 */
export type QueueingHint = (
  pod: Pod,
  change: { readonly old?: unknown; readonly now?: unknown },
) => "Queue" | "QueueSkip";

/** Assigned and pending pods are separate resources; plugins that register for pods get both. */
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

/** The event of a pod update. */
export const podUpdate = (isAssigned: boolean, action: number): ClusterEvent => ({
  resource: isAssigned ? assigned : unscheduled,
  action,
});

export const isWildcard = ({ resource, action }: ClusterEvent): boolean =>
  resource === anyResource && action === actions.all;

/** Whether an event matches one that a plugin has registered. */
export function eventMatches(registered: ClusterEvent, happened: ClusterEvent): boolean {
  if (isWildcard(registered)) return true;
  return (
    resourceMeans(registered.resource, happened.resource) &&
    (registered.action & happened.action) !== 0 &&
    happened.action <= registered.action
  );
}

/** The label of an event in metrics: `NodeAdd`, `AssignedPodDelete`. */
export const eventLabel = ({ resource, action, name }: ClusterEvent): string =>
  name ?? `${resource}${actionNames.get(action) ?? ""}`;

/** The events of plugins that reject pods and have no `eventsToRegister`. */
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
