import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import type { Informer, InformerHandler } from "../client/informer/informer-options.ts";
import type { ResourceKind } from "../client/resource-kind.ts";
import type { SchedulerCache } from "./cache/scheduler-cache.ts";
import { eventKind } from "./event-kinds.ts";
import {
  actions,
  anyResource,
  assignedPodAdd,
  assignedPodDelete,
  type ClusterEvent,
  type EventResource,
  eventLabel,
  nodeResource,
  podResource,
  unscheduledPodAdd,
  unscheduledPodUpdate,
} from "./framework/cluster-event.ts";
import { nodeChanges, podChanges } from "./framework/object-changes.ts";
import { podInfo } from "./framework/pod-info.ts";
import type { WaitingPods } from "./framework/waiting-pods.ts";
import type { QueueingHints } from "./queue/queueing-hints.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

export interface EventHandlerOptions {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly hints: QueueingHints;
  /** The profiles by `schedulerName`. */
  readonly profiles: ReadonlyMap<string, unknown>;
  readonly waitingPods: WaitingPods;
  readonly metrics: SchedulerMetrics;
  readonly ticks: () => number;
  /** Whether a new pod may complete a group that others wait for. */
  readonly schedulesGangs: boolean;
  readonly informer: <O>(kind: ResourceKind<O>) => Informer<O>;
  readonly signal: AbortSignal;
}

/**
 * Updates cache and queue from informers, and requeues pods on events that may make them schedulable.
 * Resolves when all existing pods and nodes are in the cache.
 */
export async function addEventHandlers(options: EventHandlerOptions): Promise<void> {
  const { informer, signal } = options;
  const known = [
    informer(Pod).addHandler(measured(podHandler(options), podLabels, options)),
    informer(Node).addHandler(measured(nodeHandler(options), nodeLabels, options)),
  ];
  for (const [resource, action] of wanted(options.hints.events)) {
    const kind = eventKind(resource);
    if (kind) informer(kind).addHandler(otherHandler(resource, action, options));
  }
  await Promise.all(known.map((handler) => handler.synced({ signal })));
}

function podHandler(options: EventHandlerOptions): InformerHandler<Pod> {
  const { cache, queue, profiles, waitingPods, schedulesGangs } = options;
  const isOurs = ({ spec }: Pod): boolean => profiles.has(spec.schedulerName ?? "");

  const assigned = (pod: Pod): void => {
    cache.addPod(podInfo(pod));
    queue.move({ event: assignedPodAdd, now: pod });
  };
  const unassigned = (pod: Pod): void => {
    cache.removePod(uidOf(pod));
    queue.move({ event: assignedPodDelete, old: pod });
  };
  /** Forgets an assumed pod that was deleted before its binding was seen, which frees its resources. */
  const assumedPodDeleted = (uid: string): void => {
    const pod = cache.pod(uid);
    if (!pod) return;
    if (!waitingPods.get(uid)?.reject("", "removed")) cache.forget(pod);
    queue.move({ event: assignedPodDelete, old: pod.pod });
  };
  /** Requeues pods of the same or a lower priority when a nominated pod no longer needs its node. */
  const nominationEnded = (old: Pod): void => {
    const { priority = 0 } = old.spec;
    queue.move({ event: assignedPodDelete, old }, (pod) => pod.priority <= priority);
  };
  const pending = (pod: Pod): void => {
    cache.podGroups.set(pod);
    queue.add(pod);
    if (schedulesGangs) queue.move({ event: unscheduledPodAdd, now: pod });
  };
  const added = (pod: Pod): void => {
    if (hasEnded(pod)) return;
    if (pod.spec.nodeName) assigned(pod);
    else if (isOurs(pod)) pending(pod);
  };
  const deleted = (pod: Pod, isStale: boolean): void => {
    if (isStale || pod.spec.nodeName) unassigned(pod);
    // A stale deletion may have an old nodeName: remove the pod from queue and cache.
    if ((pod.spec.nodeName && !isStale) || !isOurs(pod)) return;
    queue.delete(pod);
    cache.podGroups.remove(pod);
    if (cache.isAssumed(uidOf(pod))) assumedPodDeleted(uidOf(pod));
    else if (pod.status.nominatedNodeName) nominationEnded(pod);
  };
  const waitingUpdated = (now: Pod, old: Pod): void => {
    cache.podGroups.set(now);
    if (cache.isAssumed(uidOf(now))) {
      if (now.metadata.deletionTimestamp && !old.metadata.deletionTimestamp)
        assumedPodDeleted(uidOf(now));
      return;
    }
    queue.update(old, now);
    const { nominatedNodeName } = old.status;
    if (nominatedNodeName && nominatedNodeName !== now.status.nominatedNodeName)
      nominationEnded(old);
  };
  const updated = (now: Pod, old: Pod): void => {
    if (old.spec.nodeName) {
      cache.addPod(podInfo(now));
      for (const event of podChanges(now, old)) queue.move({ event, old, now });
      return;
    }
    if (now.spec.nodeName) {
      assigned(now);
      if (isOurs(old)) queue.delete(old);
      return;
    }
    if (isOurs(old)) waitingUpdated(now, old);
  };
  return {
    added,
    // Completed pods use no resources and count as deleted.
    deleted: (pod, isStale) => {
      if (!hasEnded(pod)) deleted(pod, isStale);
    },
    updated(now, old) {
      if (now === old) return;
      if (uidOf(now) !== uidOf(old)) {
        if (!hasEnded(old)) deleted(old, true);
        added(now);
      } else if (!hasEnded(old) && hasEnded(now)) deleted(old, false);
      else if (!hasEnded(now)) updated(now, old);
    },
  };
}

function nodeHandler({ cache, queue }: EventHandlerOptions): InformerHandler<Node> {
  const event = (action: number): ClusterEvent => ({ resource: nodeResource, action });
  const add = event(actions.add);
  const remove = event(actions.delete);
  return {
    added(now) {
      cache.setNode(now);
      queue.move({ event: add, now });
    },
    updated(now, old) {
      if (now === old) return;
      cache.setNode(now);
      for (const change of nodeChanges(now, old)) queue.move({ event: change, old, now });
    },
    deleted(old) {
      queue.move({ event: remove, old });
      cache.removeNode(old.metadata.name ?? "");
    },
  };
}

function otherHandler(
  resource: EventResource,
  action: number,
  { queue }: EventHandlerOptions,
): InformerHandler<unknown> {
  const event = (one: number): ClusterEvent => ({ resource, action: one });
  return {
    added(now) {
      if (action & actions.add) queue.move({ event: event(actions.add), now });
    },
    updated(now, old) {
      if (action & actions.update && now !== old)
        queue.move({ event: event(actions.update), old, now });
    },
    deleted(old) {
      if (action & actions.delete) queue.move({ event: event(actions.delete), old });
    },
  };
}

/** The registered actions of each kind other than pods and nodes. */
function wanted(events: readonly ClusterEvent[]): ReadonlyMap<EventResource, number> {
  const all = new Map<EventResource, number>();
  for (const { resource, action } of events)
    if (resource !== podResource && resource !== nodeResource && resource !== anyResource)
      all.set(resource, (all.get(resource) ?? 0) | action);
  return all;
}

interface HandlerLabels<O> {
  readonly added: (object: O) => string;
  readonly updated: (object: O, old: O) => string;
  readonly deleted: (object: O) => string;
}

const podLabels: HandlerLabels<Pod> = {
  added: ({ spec }) => eventLabel(spec.nodeName ? assignedPodAdd : unscheduledPodAdd),
  updated: (_, { spec }) =>
    spec.nodeName ? "AssignedPodUpdate" : eventLabel(unscheduledPodUpdate),
  deleted: ({ spec }) => (spec.nodeName ? eventLabel(assignedPodDelete) : "UnschedulablePodDelete"),
};

const nodeLabels: HandlerLabels<Node> = {
  added: () => "NodeAdd",
  updated: () => "NodeUpdate",
  deleted: () => "NodeDelete",
};

/** Wraps a handler to record its duration. */
function measured<O>(
  { added, updated, deleted }: InformerHandler<O>,
  labels: HandlerLabels<O>,
  { metrics, ticks }: EventHandlerOptions,
): InformerHandler<O> {
  const observe = (label: string, since: number): void =>
    metrics.eventSeconds.of(label).observe((ticks() - since) / 1000);
  return {
    added(object, isInitial) {
      const since = ticks();
      added?.(object, isInitial);
      observe(labels.added(object), since);
    },
    updated(object, old) {
      const since = ticks();
      updated?.(object, old);
      observe(labels.updated(object, old), since);
    },
    deleted(object, isStale) {
      const since = ticks();
      deleted?.(object, isStale);
      observe(labels.deleted(object), since);
    },
  };
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? "";
/** Whether a pod needs its node no more: it is neither in the cache nor in the queue. */
export const hasEnded = ({ status }: Pod): boolean =>
  status.phase === "Succeeded" || status.phase === "Failed";
