import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { RegisteredEvent } from "./cluster-event.ts";
import type { CycleState } from "./cycle-state.ts";
import type { NodeStatuses } from "./diagnosis.ts";
import type { Handle } from "./handle.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { QueuedPod } from "./queued-pod.ts";
import type { Status } from "./status.ts";

/**
 * A scheduling plugin: an object with any of the extension points below. Methods return an outcome; an
 * error that they throw ends the attempt, and the pod is retried after a backoff.
 *
 *     queue:  preEnqueue → less
 *     cycle:  preFilter → filter (each node) → postFilter (if no node is left) → preScore →
 *             score (each node) → normalizeScore → reserve → permit
 *     bind:   preBindPreFlight → preBind → bind → postBind, and unreserve after a failure
 *
 * Up to `permit`, one pod is scheduled at a time and all methods but postFilter are synchronous. Binding
 * runs in parallel with the next cycles.
 */
export interface Plugin {
  readonly name: string;

  /**
   * The events after which a pod that the plugin rejected is worth another attempt. Default: all events.
   */
  eventsToRegister?(): readonly RegisteredEvent[];

  /** Whether a pod may enter the active queue. */
  preEnqueue?(pod: Pod): Status | undefined;
  /** Orders the queue; exactly one plugin of a profile has it. */
  less?(a: QueuedPod, b: QueuedPod): boolean;

  /** Inspects the pod before nodes are filtered. `Skip`: do not run the plugin's `filter`. */
  preFilter?(
    state: CycleState,
    pod: PodInfo,
    nodes: readonly NodeInfo[],
  ): Status | PreFilterResult | undefined;
  /**
   * Updates the state of `preFilter` for a pod that is added to or removed from a node in a simulation.
   */
  addPod?(state: CycleState, pod: PodInfo, change: PodOnNode): Status | undefined;
  removePod?(state: CycleState, pod: PodInfo, change: PodOnNode): Status | undefined;
  /** Whether a node fits the pod. */
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /**
   * Called when no node fits the pod, for example to preempt others. The first plugin that succeeds ends
   * the search.
   */
  postFilter?(
    state: CycleState,
    pod: PodInfo,
    nodes: NodeStatuses,
  ): PostFilterResult | Promise<PostFilterResult>;

  /** Inspects the remaining nodes. `Skip`: do not run the plugin's `score`. */
  preScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined;
  /** Scores a node: an integer, from 0 to 100 after normalization. */
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** Normalizes the scores of all nodes to that range, in place. */
  normalizeScore?(state: CycleState, pod: PodInfo, scores: NodeScores): void;

  /** A node was chosen: reserves resources there. */
  reserve?(state: CycleState, pod: PodInfo, node: string): Status | undefined;
  /**
   * Releases the reservation. Called after every failure, even if `reserve` was not called: must be
   * idempotent.
   */
  unreserve?(state: CycleState, pod: PodInfo, node: string): void;
  /** Allows the pod (undefined), rejects it, or delays its binding by up to `timeoutMs`. */
  permit?(state: CycleState, pod: PodInfo, node: string): PermitResult | undefined;

  /** Whether `preBind` has work to do; only then is the nominated node written before it. */
  preBindPreFlight?(
    state: CycleState,
    pod: PodInfo,
    node: string,
  ): Status | { readonly mayRunInParallel: boolean } | undefined;
  /** Prepares the binding, for example a volume. */
  preBind?(state: CycleState, pod: PodInfo, target: BindTarget): Promise<Status | undefined>;
  /** Binds the pod. `Skip`: leaves it to the next plugin. */
  bind?(state: CycleState, pod: PodInfo, target: BindTarget): Promise<Status | undefined>;
  /** Called after the pod was bound. */
  postBind?(state: CycleState, pod: PodInfo, node: string): void;

  /** Called when the scheduler stops. */
  close?(): void;
}

export interface PreFilterResult {
  /** The only nodes to consider. Default: all. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
}

/** A pod that is added to or removed from a node in a simulation. */
export interface PodOnNode {
  readonly other: PodInfo;
  readonly node: NodeInfo;
}

export interface PostFilterResult {
  /** Undefined: the plugin has helped. `Unschedulable`: the next plugin may try. */
  readonly status?: Status | undefined;
  /** The node to nominate; `""` clears the nomination. */
  readonly nominatedNode?: string | undefined;
}

/** The scores of nodes, in the same order as the nodes. */
export interface NodeScores {
  readonly nodes: readonly NodeInfo[];
  readonly values: number[];
}

export interface PermitResult {
  readonly status: Status;
  /** The longest wait if the status is `Wait`; at most 15 minutes. */
  readonly timeoutMs?: number | undefined;
}

export interface BindTarget {
  readonly node: string;
  /** Aborts when the scheduler stops or the pod is preempted. */
  readonly signal: AbortSignal;
}

/** Creates a plugin for a profile; `args` are its arguments in the configuration. */
export type PluginFactory = (args: unknown, handle: Handle) => Plugin;

/** The methods of each extension point, by its name in the configuration. */
const extensionPoints = {
  preEnqueue: ["preEnqueue"],
  queueSort: ["less"],
  preFilter: ["preFilter"],
  filter: ["filter"],
  postFilter: ["postFilter"],
  preScore: ["preScore"],
  score: ["score"],
  reserve: ["reserve", "unreserve"],
  permit: ["permit"],
  preBind: ["preBind"],
  bind: ["bind"],
  postBind: ["postBind"],
} as const satisfies Record<string, readonly (keyof Plugin)[]>;

export type ExtensionPoint = keyof typeof extensionPoints;

export const extensionPointNames = Object.keys(extensionPoints) as readonly ExtensionPoint[];

/** Whether a plugin implements an extension point. */
export const hasExtensionPoint = (plugin: Plugin, point: ExtensionPoint): boolean =>
  extensionPoints[point].some((method) => typeof plugin[method] === "function");

/** The highest score of a plugin. */
export const maxNodeScore = 100;
