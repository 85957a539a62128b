import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { Informer, InformerOptions } from "../../client/informer/informer-options.ts";
import type { ResourceKind } from "../../client/resource-kind.ts";
import type { EventRecorder } from "../../controller-runtime/events/event-recorder.ts";
import type { CycleState } from "./cycle-state.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodOnNode } from "./plugin.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Status } from "./status.ts";

/** What a plugin has at hand. */
export interface Handle {
  /** The name under which pods ask for this profile: `default-scheduler`. */
  readonly profileName: string;
  /** The nodes as they were when the cycle began. */
  readonly snapshot: Snapshot;
  readonly client: Client;
  /** What is known of a kind, for as long as the scheduler runs; it waits for it before it starts. */
  informer<O>(kind: ResourceKind<O>, options?: InformerOptions<O>): Informer<O>;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly ticks: () => number;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: HandleMetrics;
  /** Pods that will probably go to a node: others have been asked to make room for them. */
  nominatedPods(node: string): readonly PodInfo[];
  /** Whether a node suits a pod, as all filters of the profile see it. */
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** The same, with the pods that are nominated for the node and without them: both must hold. */
  runFiltersWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** Tells those who keep count in a state that a pod is thought on a node, or off it; throws a fault. */
  addPodToState(state: CycleState, pod: PodInfo, change: PodOnNode): void;
  removePodFromState(state: CycleState, pod: PodInfo, change: PodOnNode): void;
  /** Has pods that wait tried at once. */
  activate(pods: readonly Pick<Pod, "metadata">[]): void;
  /** A pod that a `permit` has asked to wait. */
  waitingPod(uid: string): WaitingPod | undefined;
  waitingPods(): readonly WaitingPod[];
  /** A pod in the middle of `preBind`. */
  podInPreBind(uid: string): PodInPreBind | undefined;
  /** Does something beside the cycle; the scheduler ends only after it, and tells it by the signal. */
  background(task: (signal: AbortSignal) => Promise<void>): void;
}

/** What plugins count. */
export interface HandleMetrics {
  preemptionAttempts(): void;
  preemptionVictims(count: number): void;
  /** How room was made, and in which time. */
  preempted(result: "success" | "error", seconds: number): void;
}

/** A pod that waits for plugins to permit it. */
export interface WaitingPod {
  readonly pod: PodInfo;
  /** Those who have not said yes. */
  pendingPlugins(): readonly string[];
  allow(plugin: string): void;
  /** Turns it away; whether it was still waiting. */
  reject(plugin: string, message: string): boolean;
  /** Takes its place: it will be tried again. */
  preempt(plugin: string, message: string): boolean;
}

export interface PodInPreBind {
  /** Ends its binding, if it is not too late. */
  cancel(reason: string): boolean;
}
