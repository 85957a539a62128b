export { MetricsRegistry } from "../src/base/metrics-registry.ts";
export { controllerRateLimiter, type RateLimiter } from "../src/base/queue/rate-limiter.ts";
export { RateLimitingQueue } from "../src/base/queue/rate-limiting-queue.ts";
export { type Queue, WorkQueue } from "../src/base/queue/work-queue.ts";
export { ignoreNotFound } from "../src/client/ignore-not-found.ts";
export {
  type ManagerProbesOptions,
  managerProbes,
} from "../src/cluster/commands/controller-manager/manager-probes.ts";
export type { CertificateFiles } from "../src/cluster/extension/given-certificates.ts";
export type { CertificateSecret } from "../src/cluster/extension/kept-certificates.ts";
export {
  type WebhookServerOptions,
  webhookServer,
} from "../src/cluster/extension/webhook-server.ts";
export { type Cache, type CacheScope, cached } from "../src/controller-runtime/cache/cache.ts";
export { type Fence, fenced, NotLeaderError } from "../src/controller-runtime/election/fence.ts";
export { createLeaderElection } from "../src/controller-runtime/election/leader-election.ts";
export {
  type LeaderElection,
  type LeaderElectionOptions,
  LeadershipLostError,
} from "../src/controller-runtime/election/leader-election-options.ts";
export {
  createEventSink,
  type EventRecorder,
  type EventSink,
  type EventSinkOptions,
  type RecordedEvent,
} from "../src/controller-runtime/events/event-recorder.ts";
export type { HealthReport } from "../src/controller-runtime/manager/health.ts";
export { createManager } from "../src/controller-runtime/manager/manager.ts";
export type {
  LeaderOptions,
  Manager,
  ManagerOptions,
  Runnable,
  RunnableContext,
} from "../src/controller-runtime/manager/manager-options.ts";
export type { EventApi } from "../src/controller-runtime/manager/manager-part.ts";
export { type ProbeAnswer, probeAnswer } from "../src/controller-runtime/manager/probe-answer.ts";
export {
  type ConditionLike,
  findCondition,
  isConditionTrue,
  type NewCondition,
  withCondition,
  withoutCondition,
} from "../src/controller-runtime/objects/conditions.ts";
export {
  createOrPatch,
  createOrUpdate,
  type WriteTarget,
  type WrittenObject,
} from "../src/controller-runtime/objects/create-or-update.ts";
export {
  addFinalizer,
  type FinalizerOptions,
  hasFinalizer,
  removeFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "../src/controller-runtime/objects/finalizers.ts";
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
} from "../src/controller-runtime/objects/owner-references.ts";
export {
  conflictBackoff,
  conflictRetry,
  type RetryingOptions,
  retryOnConflict,
  retryOnError,
} from "../src/controller-runtime/objects/retry-on-conflict.ts";
export { controller } from "../src/controller-runtime/reconcile/controller.ts";
export {
  type Controller,
  type ControllerDefinition,
  type ControllerSource,
  type KindIndex,
  type OwnedKind,
  type ReconcileContext,
  type ReconcileResult,
  TerminalError,
  type Watch,
} from "../src/controller-runtime/reconcile/controller-definition.ts";
export {
  createExpectations,
  type Expectations,
} from "../src/controller-runtime/reconcile/expectations.ts";
export {
  type ObjectControllerDefinition,
  objectController,
} from "../src/controller-runtime/reconcile/object-controller.ts";
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
} from "../src/controller-runtime/reconcile/predicates.ts";
export { slowStart } from "../src/controller-runtime/reconcile/slow-start.ts";
export type {
  ReconcileTrace,
  TraceCause,
  TracedObject,
  TraceFilter,
  TraceWrite,
} from "../src/controller-runtime/reconcile/trace.ts";
export { traceText } from "../src/controller-runtime/reconcile/trace-text.ts";
export {
  type Conversion,
  type ConversionDefinition,
  conversion,
} from "../src/controller-runtime/webhooks/conversion.ts";
export type { RespondToReview } from "../src/controller-runtime/webhooks/respond-to-review.ts";
export { webhook } from "../src/controller-runtime/webhooks/webhook.ts";
export {
  type WebhookAddress,
  type WebhookClientOptions,
  type WebhookConfigurations,
  webhookConfigurations,
} from "../src/controller-runtime/webhooks/webhook-configurations.ts";
export type {
  AdmissionContext,
  AdmissionDecision,
  AdmissionHandler,
  ConversionHandler,
  ConversionRequest,
  Verdict,
  Webhook,
  WebhookDefinition,
  WebhookSettings,
} from "../src/controller-runtime/webhooks/webhook-definition.ts";
export type {
  ListenForWebhooks,
  WebhookListener,
  WebhookServer,
} from "../src/controller-runtime/webhooks/webhook-server.ts";
