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
 * A rule of scheduling: any of the methods below, each a point at which it takes part. What is returned
 * is an outcome; a fault is thrown, ends the attempt, and the pod is tried again after a backoff.
 *
 *     queue:  preEnqueue → less
 *     cycle:  preFilter → filter (each node) → postFilter (if none is left)
 *             → preScore → score (each node) → normalizeScore → reserve → permit
 *     bind:   preBindPreFlight → preBind → bind → postBind, and unreserve if anything fails
 *
 * Up to `permit`, one pod is scheduled at a time, and nothing waits. The rest goes on beside it.
 */
export interface Plugin {
  readonly name: string;

  /** What may change its mind about a pod that it turned away; anything, if not given. */
  eventsToRegister?(): readonly RegisteredEvent[];

  /** Whether a pod may be tried at all. */
  preEnqueue?(pod: Pod): Status | undefined;
  /** Which of two pods is tried first; exactly one plugin of a profile decides. */
  less?(a: QueuedPod, b: QueuedPod): boolean;

  /** Looks at the pod before nodes are looked at. `Skip`: it has nothing to say of any node. */
  preFilter?(
    state: CycleState,
    pod: PodInfo,
    nodes: readonly NodeInfo[],
  ): Status | PreFilterResult | undefined;
  /** What `preFilter` has written follows when a pod is thought on a node, or off it. */
  addPod?(state: CycleState, pod: PodInfo, change: PodOnNode): Status | undefined;
  removePod?(state: CycleState, pod: PodInfo, change: PodOnNode): Status | undefined;
  /** Whether a node suits the pod. */
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** No node suits the pod: what can be done? The first plugin that can do something ends the search. */
  postFilter?(
    state: CycleState,
    pod: PodInfo,
    nodes: NodeStatuses,
  ): PostFilterResult | Promise<PostFilterResult>;

  /** Looks at the nodes that are left. `Skip`: it has no preference. */
  preScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined;
  /** How well a node suits the pod: a whole number, from 0 to 100 once it is normalized. */
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** Brings the scores of all nodes into that range, in place. */
  normalizeScore?(state: CycleState, pod: PodInfo, scores: NodeScores): void;

  /** The pod is meant to go to a node: sets aside what it needs there. */
  reserve?(state: CycleState, pod: PodInfo, node: string): Status | undefined;
  /** It does not go there after all. Called in any case, and must not mind. */
  unreserve?(state: CycleState, pod: PodInfo, node: string): void;
  /** Approves (nothing), denies, or has the pod wait for `timeoutMs`. */
  permit?(state: CycleState, pod: PodInfo, node: string): PermitResult | undefined;

  /** Whether `preBind` will do anything, so that others can be told early where the pod goes. */
  preBindPreFlight?(
    state: CycleState,
    pod: PodInfo,
    node: string,
  ): Status | { readonly mayRunInParallel: boolean } | undefined;
  /** Does what must be done before the pod is bound. */
  preBind?(state: CycleState, pod: PodInfo, target: BindTarget): Promise<Status | undefined>;
  /** Binds the pod. `Skip`: another plugin shall. */
  bind?(state: CycleState, pod: PodInfo, target: BindTarget): Promise<Status | undefined>;
  /** Is told that the pod is bound. */
  postBind?(state: CycleState, pod: PodInfo, node: string): void;

  /** Is told that the scheduler ends. */
  close?(): void;
}

export interface PreFilterResult {
  /** The only nodes that come into question; all of them if not given. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
}

/** A pod that is thought to come to a node, or to go from it. */
export interface PodOnNode {
  readonly other: PodInfo;
  readonly node: NodeInfo;
}

export interface PostFilterResult {
  /** Nothing: something was done. `Unschedulable`: the next plugin may try. */
  readonly status?: Status | undefined;
  /** Where the pod will probably go; `""` takes back what was said before. */
  readonly nominatedNode?: string | undefined;
}

/** Scores of nodes, one for each in the same order. */
export interface NodeScores {
  readonly nodes: readonly NodeInfo[];
  readonly values: number[];
}

export interface PermitResult {
  readonly status: Status;
  /** How long it waits at most, where the status is `Wait`; 15 minutes is the longest. */
  readonly timeoutMs?: number | undefined;
}

export interface BindTarget {
  readonly node: string;
  /** Aborts when the scheduler ends, or the pod is preempted. */
  readonly signal: AbortSignal;
}

/** Makes a plugin for a profile, of what the configuration says of it. */
export type PluginFactory = (args: unknown, handle: Handle) => Plugin;

/** The extension points, by the names that configurations have for them. */
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

/** Whether a plugin takes part at a point. */
export const takesPart = (plugin: Plugin, point: ExtensionPoint): boolean =>
  extensionPoints[point].some((method) => typeof plugin[method] === "function");

/** Scores of a plugin are from 0 to this. */
export const maxNodeScore = 100;
