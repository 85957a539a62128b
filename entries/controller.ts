export { MetricsRegistry } from "../src/base/metrics-registry.ts";
export { controllerRateLimiter, type RateLimiter } from "../src/base/rate-limiter.ts";
export { RateLimitingQueue } from "../src/base/rate-limiting-queue.ts";
export { type Queue, WorkQueue } from "../src/base/work-queue.ts";
export { type ManagerProbesOptions, managerProbes } from "../src/cluster/manager-probes.ts";
export { type Cache, type CacheScope, cached } from "../src/controller-runtime/cache.ts";
export {
  type ConditionLike,
  findCondition,
  isConditionTrue,
  type NewCondition,
  withCondition,
  withoutCondition,
} from "../src/controller-runtime/conditions.ts";
export {
  type Controller,
  type ControllerDefinition,
  type ControllerSource,
  type OwnedKind,
  type ReconcileContext,
  type ReconcileResult,
  TerminalError,
  type Watch,
} from "../src/controller-runtime/controller.ts";
export { createManager } from "../src/controller-runtime/controller-manager.ts";
export {
  createOrPatch,
  createOrUpdate,
  type WriteTarget,
  type WrittenObject,
} from "../src/controller-runtime/create-or-update.ts";
export { controller } from "../src/controller-runtime/define-controller.ts";
export {
  createEventSink,
  type EventRecorder,
  type EventSink,
  type EventSinkOptions,
  type RecordedEvent,
} from "../src/controller-runtime/event-recorder.ts";
export {
  createExpectations,
  type Expectations,
} from "../src/controller-runtime/expectations.ts";
export { type Fence, fenced, NotLeaderError } from "../src/controller-runtime/fence.ts";
export {
  addFinalizer,
  type FinalizerOptions,
  hasFinalizer,
  removeFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "../src/controller-runtime/finalizers.ts";
export type { HealthReport } from "../src/controller-runtime/health.ts";
export {
  type LeaderElection,
  type LeaderElectionOptions,
  LeadershipLostError,
} from "../src/controller-runtime/leader-election.ts";
export { createLeaderElection } from "../src/controller-runtime/lease-elector.ts";
export type {
  LeaderOptions,
  Manager,
  ManagerOptions,
  Runnable,
} from "../src/controller-runtime/manager.ts";
export {
  AlreadyOwnedError,
  controllerOf,
  isControlledBy,
  isOwnedBy,
  type Owned,
  type OwnerOptions,
  withController,
  withOwner,
  withoutController,
  withoutOwner,
} from "../src/controller-runtime/owner-references.ts";
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  inNamespaces,
  labelsChanged,
  not,
  type ObjectEvent,
  objectsWhere,
  type Predicate,
  resourceVersionChanged,
} from "../src/controller-runtime/predicates.ts";
export { type ProbeAnswer, probeAnswer } from "../src/controller-runtime/probe-answer.ts";
export {
  conflictBackoff,
  conflictRetry,
  type RetryingOptions,
  retryOnConflict,
  retryOnError,
} from "../src/controller-runtime/retry-on-conflict.ts";
export { slowStart } from "../src/controller-runtime/slow-start.ts";
export type {
  ReconcileTrace,
  TraceCause,
  TracedObject,
  TraceFilter,
  TraceWrite,
} from "../src/controller-runtime/trace.ts";
export { traceText } from "../src/controller-runtime/trace-text.ts";
