import type { Metrics } from "../../base/metrics.ts";
import type { Termination } from "./new-terminations.ts";

/** Measures the workers of pods. */
export interface WorkerMetrics {
  /** A worker has taken a step of a pod. */
  stepped(operation: WorkerOperation, seconds: number): void;
  /** A pod runs for the first time, so many seconds after the kubelet saw it. */
  started(seconds: number, start: PodStart): void;
  /** A worker begins to start a pod, so many seconds after the kubelet saw it. */
  began(containers: number, seconds: number): void;
  /** The start of a pod with a user namespace has begun. */
  startedWithUsers(): void;
  /** The first attempt to start the sandbox and the containers of such a pod has failed. */
  failedWithUsers(): void;
  /** A pod was removed and came back with the same UID. */
  restarted(isStatic: boolean): void;
  /** A container has ended. */
  terminated(termination: Termination): void;
  /** The node rejected a pod. */
  rejected(reason: string): void;
  /** A pod has ended for a critical one, which needed a resource. */
  preempted(resource: string): void;
  /** An image that a container needs was looked for. */
  ensuredImage(image: EnsuredImage): void;
}

/** The start of a pod, in seconds. */
export interface PodStart {
  readonly sinceCreation: number;
  /** The time for its images and init containers. */
  readonly preparing: number;
  /** Whether it has volumes that may make it wait. */
  readonly isStateful: boolean;
}

export interface EnsuredImage {
  readonly pullPolicy: string;
  /** Undefined if that was not looked for. */
  readonly isPresent?: boolean | undefined;
  /** Undefined if an error came before the decision. */
  readonly mustPull?: boolean | undefined;
}

/** The reason of a step: the pod is new, has changed, or something else has; it ends, or has ended. */
export type WorkerOperation = "create" | "update" | "sync" | "kill" | "terminated";

/** Registers the metrics of workers. */
export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const histogram = (
    name: string,
    help: string,
    buckets: readonly number[],
    labels: string[] = [],
  ) => metrics.histogram({ name: `kubelet_${name}`, help, stability: "ALPHA", buckets, labels });
  const steps = histogram(
    "pod_worker_duration_seconds",
    "Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync",
    usualBuckets,
    ["operation_type"],
  );
  const starts = histogram(
    "pod_start_duration_seconds",
    "Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run",
    startBuckets,
  ).of();
  const totals = histogram(
    "pod_start_total_duration_seconds",
    "Duration in seconds to start a pod since creation, including time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch",
    startBuckets,
  ).of();
  const pureStarts = histogram(
    "pod_start_sli_duration_seconds",
    "Duration in seconds to start a pod, excluding time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch",
    startBuckets,
  ).of();
  const workerStarts = histogram(
    "pod_worker_start_duration_seconds",
    "Duration in seconds from kubelet seeing a pod to starting a worker.",
    usualBuckets,
  ).of();
  const restarts = metrics.counter({
    name: "kubelet_restarted_pods_total",
    help: "Number of pods that have been restarted because they were deleted and recreated with the same UID while the kubelet was watching them (common for static pods, extremely uncommon for API pods)",
    stability: "ALPHA",
    labels: ["static"],
  });
  for (const isStatic of ["", "true"]) restarts.of(isStatic).add(0);
  const containers = histogram(
    "containers_per_pod_count",
    "The number of containers per pod.",
    [1, 2, 4, 8, 16],
  ).of();
  const withUsers = metrics
    .counter({
      name: "kubelet_started_user_namespaced_pods_total",
      help: "Cumulative number of pods with user namespaces started. This metric will only be collected on Linux.",
      stability: "ALPHA",
    })
    .of();
  const failedWithUsers = metrics
    .counter({
      name: "kubelet_started_user_namespaced_pods_errors_total",
      help: "Cumulative number of errors when starting pods with user namespaces. This metric will only be collected on Linux.",
      stability: "ALPHA",
    })
    .of();
  const terminations = metrics.counter({
    name: "kubelet_terminated_containers_total",
    help: "Cumulative number of container terminations.",
    stability: "ALPHA",
    labels: ["container_type", "exit_code", "reason"],
  });
  const rejections = metrics.counter({
    name: "kubelet_admission_rejections_total",
    help: "Cumulative number pod admission rejections by the Kubelet.",
    stability: "ALPHA",
    labels: ["reason"],
  });
  const preemptions = metrics.counter({
    name: "kubelet_preemptions",
    help: "Cumulative number of pod preemptions by preemption resource",
    stability: "ALPHA",
    labels: ["preemption_signal"],
  });
  const images = metrics.counter({
    name: "kubelet_image_manager_ensure_image_requests_total",
    help: "Number of ensure-image requests processed by the kubelet.",
    stability: "ALPHA",
    labels: ["pull_policy", "present_locally", "pull_required"],
  });
  return {
    stepped: (operation, seconds) => steps.of(operation).observe(seconds),
    started(seconds, { sinceCreation, preparing, isStateful }) {
      starts.observe(seconds);
      totals.observe(sinceCreation);
      if (!isStateful) pureStarts.observe(Math.max(0, sinceCreation - preparing));
    },
    began(count, seconds) {
      containers.observe(count);
      workerStarts.observe(seconds);
    },
    startedWithUsers: () => withUsers.add(1),
    failedWithUsers: () => failedWithUsers.add(1),
    restarted: (isStatic) => restarts.of(isStatic ? "true" : "").add(1),
    terminated: ({ type, exitCode, reason }) =>
      terminations.of(type, String(exitCode), reason).add(1),
    rejected: (reason) => rejections.of(reason).add(1),
    preempted: (resource) => preemptions.of(resource).add(1),
    ensuredImage({ pullPolicy, isPresent = "unknown", mustPull = "unknown" }) {
      images.of(pullPolicy.toLowerCase(), String(isPresent), String(mustPull)).add(1);
    },
  };
}

const usualBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const startBuckets = [
  ...[0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900],
  ...[1200, 1800, 2700, 3600],
];
