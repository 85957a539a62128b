import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { Informer, InformerOptions } from "../../client/informer/informer-options.ts";
import type { ResourceKind } from "../../client/resource-kind.ts";
import type { EventRecorder } from "../../controller-runtime/events/event-recorder.ts";
import type { Extenders } from "../extenders/extenders.ts";
import type { PodGroupStates } from "../pod-groups/pod-group-states.ts";
import type { CycleState } from "./cycle-state.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodOnNode } from "./plugin.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Status } from "./status.ts";

/** What the framework offers to a plugin. */
export interface Handle {
  /** The `schedulerName` of pods of this profile: `default-scheduler`. */
  readonly profileName: string;
  /** The nodes as of the start of the cycle. */
  readonly snapshot: Snapshot;
  readonly client: Client;
  /** The feature gates that are on, of those that have an effect. */
  readonly features: ReadonlySet<string>;
  /**
   * Returns an informer that runs as long as the scheduler; the scheduler waits for its sync before it
   * starts.
   */
  informer<O>(kind: ResourceKind<O>, options?: InformerOptions<O>): Informer<O>;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly ticks: () => number;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: HandleMetrics;
  readonly extenders: Extenders;
  /** The pods of each group, as the cache knows them now. */
  readonly podGroups: Pick<PodGroupStates, "get">;
  /** Pods that are nominated for a node, for example because preemption makes room there. */
  nominatedPods(node: string): readonly PodInfo[];
  /** Runs all filter plugins of the profile for a node. */
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** Runs the filters with and without the nominated pods of the node; both must succeed. */
  runFiltersWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /**
   * Updates the plugins' state for a pod that is added to or removed from a node in a simulation; throws
   * an error of a plugin.
   */
  addPodToState(state: CycleState, pod: PodInfo, change: PodOnNode): void;
  removePodFromState(state: CycleState, pod: PodInfo, change: PodOnNode): void;
  /** Moves pending pods to the active queue. */
  activate(pods: readonly Pick<Pod, "metadata">[]): void;
  /** A pod that waits for `permit`. */
  waitingPod(uid: string): WaitingPod | undefined;
  waitingPods(): readonly WaitingPod[];
  /** A pod whose `preBind` is running. */
  podInPreBind(uid: string): PodInPreBind | undefined;
  /**
   * Runs a task beside the scheduling cycle; the scheduler waits for it when it stops, and aborts its
   * signal.
   */
  background(task: (signal: AbortSignal) => Promise<void>): void;
}

export interface DeviceBindingOutcome {
  readonly status: "success" | "timeout" | "failure" | "error";
  readonly seconds: number;
  /** The drivers of devices with binding conditions, once for each of them. */
  readonly conditional: readonly string[];
}

/** Metrics that plugins record. */
export interface HandleMetrics {
  preemptionAttempts(): void;
  preemptionVictims(count: number): void;
  /** Counts the creation of a resource claim. */
  claimCreated(status: "success" | "failure"): void;
  /** Records how long a pod waited for the devices of drivers, and how that ended. */
  devicesBound(drivers: readonly string[], outcome: DeviceBindingOutcome): void;
  /** Records the result and duration of a preemption. */
  preempted(result: "success" | "error", seconds: number): void;
}

/** A pod that waits for plugins to permit it. */
export interface WaitingPod {
  readonly pod: PodInfo;
  /** The plugins that have not allowed it yet. */
  pendingPlugins(): readonly string[];
  allow(plugin: string): void;
  /** Rejects the pod; returns false if it no longer waits. */
  reject(plugin: string, message: string): boolean;
  /** Preempts the pod: it is rejected and tried again later. */
  preempt(plugin: string, message: string): boolean;
}

export interface PodInPreBind {
  /** Cancels its binding; returns false if it is too late. */
  cancel(reason: string): boolean;
}
