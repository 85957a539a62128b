export {
  actions,
  type ClusterEvent,
  type EventResource,
  nodeResource,
  podResource,
  type QueueingHint,
  type RegisteredEvent,
} from "../src/scheduler/framework/cluster-event.ts";
export {
  type CycleState,
  type StateKey,
  stateKey,
} from "../src/scheduler/framework/cycle-state.ts";
export type { NodeStatuses } from "../src/scheduler/framework/diagnosis.ts";
export type { Handle, PodInPreBind, WaitingPod } from "../src/scheduler/framework/handle.ts";
export type { ImageState, NodeInfo } from "../src/scheduler/framework/node-info.ts";
export {
  type BindTarget,
  maxNodeScore,
  type NodeScores,
  type PermitResult,
  type Plugin,
  type PluginFactory,
  type PodOnNode,
  type PostFilterResult,
  type PreFilterResult,
} from "../src/scheduler/framework/plugin.ts";
export type { PodInfo } from "../src/scheduler/framework/pod-info.ts";
export type { QueuedPod } from "../src/scheduler/framework/queued-pod.ts";
export type { Registry } from "../src/scheduler/framework/registry.ts";
export type { Resource } from "../src/scheduler/framework/resource.ts";
export type { Snapshot } from "../src/scheduler/framework/snapshot.ts";
export { type Status, type StatusCode, skip, status } from "../src/scheduler/framework/status.ts";
export {
  ConfigurationError,
  completed as completeConfiguration,
  defaultConfiguration,
  type KubeSchedulerConfiguration,
  parseConfiguration,
} from "../src/scheduler/parse-configuration.ts";
export { createScheduler, type SchedulerOptions } from "../src/scheduler/scheduler.ts";
