import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { ContainerConfig, PodSandboxConfig } from "../../cri/runtime-types.ts";
import { type CountOptions, countCalls, type EndedCall } from "./count-calls.ts";
import { sizeLabel } from "./image-size-label.ts";

/** Wraps a runtime: counts its operations, and the pods and containers that are started. */
export function countedRuntime(runtime: RuntimeService, options: CountOptions): RuntimeService {
  const started = startMetrics(options);
  const kinds = new Map<string, string>();
  const after = ({ operation, args, seconds, result, hasFailed }: EndedCall): void => {
    if (operation === "run_podsandbox") {
      const { runtimeHandler = "" } = args[0] as PodSandboxConfig;
      started.pods.add(1);
      started.sandboxDuration.of(runtimeHandler).observe(seconds);
      if (!hasFailed) return;
      started.podErrors.add(1);
      started.sandboxErrors.of(runtimeHandler).add(1);
    } else if (operation === "create_container") {
      const kind = kindLabel(args[1] as ContainerConfig);
      started.containers.of(kind).add(1);
      if (hasFailed) started.containerErrors.of(kind, "CreateContainerError").add(1);
      else kinds.set(String(result), kind);
    } else if (operation === "start_container") {
      const id = String(args[0]);
      if (hasFailed)
        started.containerErrors.of(kinds.get(id) ?? "container", "RunContainerError").add(1);
      kinds.delete(id);
    } else if (operation === "remove_container") kinds.delete(String(args[0]));
  };
  return countCalls(runtime, { operations: runtimeOperations, endless, after }, options);
}

/** Wraps the images of a runtime: counts operations, and measures pulls by the size of the image. */
export function countedImages(images: ImageService, options: CountOptions): ImageService {
  const pulls = options.metrics.histogram({
    name: "kubelet_image_pull_duration_seconds",
    help: "Duration in seconds to pull an image.",
    stability: "ALPHA",
    labels: ["image_size_in_bytes"],
    buckets: [
      ...[1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600],
    ],
  });
  const after = ({ operation, seconds, result, hasFailed }: EndedCall): void => {
    if (operation !== "pull_image" || hasFailed) return;
    const { sizeBytes } = result as { readonly sizeBytes: number };
    pulls.of(sizeLabel(sizeBytes)).observe(seconds);
  };
  return countCalls(images, { operations: imageOperations, after }, options);
}

const runtimeOperations: Readonly<Partial<Record<keyof RuntimeService, string>>> = {
  version: "version",
  status: "status",
  runtimeConfig: "runtime_config",
  updateRuntimeConfig: "update_runtime_config",
  runPodSandbox: "run_podsandbox",
  stopPodSandbox: "stop_podsandbox",
  removePodSandbox: "remove_podsandbox",
  podSandboxStatus: "podsandbox_status",
  listPodSandboxes: "list_podsandbox",
  updatePodSandboxResources: "update_podsandbox_resources",
  createContainer: "create_container",
  startContainer: "start_container",
  stopContainer: "stop_container",
  removeContainer: "remove_container",
  containerStatus: "container_status",
  listContainers: "list_containers",
  updateContainerResources: "update_container",
  checkpointContainer: "checkpoint_container",
  containerStats: "container_stats",
  listContainerStats: "list_container_stats",
  podSandboxStats: "podsandbox_stats",
  listPodSandboxStats: "list_podsandbox_stats",
  listMetricDescriptors: "list_metric_descriptors",
  listPodSandboxMetrics: "list_podsandbox_metrics",
  execSync: "exec_sync",
  exec: "exec",
  attach: "attach",
  portForward: "port_forward",
  reopenContainerLog: "reopen_container_log",
};
const endless: ReadonlySet<string> = new Set(["exec", "attach", "port_forward"]);

const imageOperations: Readonly<Partial<Record<keyof ImageService, string>>> = {
  listImages: "list_images",
  imageStatus: "image_status",
  pullImage: "pull_image",
  removeImage: "remove_image",
  imageFsInfo: "image_fs_info",
};

/** Upstream counts sidecars as init containers. */
const kindLabel = ({ kind }: ContainerConfig): string => {
  if (kind === "ephemeral") return "ephemeral_container";
  return kind === "init" || kind === "sidecar" ? "init_container" : "container";
};

function startMetrics({ metrics }: CountOptions) {
  const counter = (name: string, help: string, labels: readonly string[] = []) =>
    metrics.counter({ name: `kubelet_${name}`, help, stability: "ALPHA", labels });
  return {
    pods: counter("started_pods_total", "Cumulative number of pods started").of(),
    podErrors: counter(
      "started_pods_errors_total",
      "Cumulative number of errors when starting pods",
    ).of(),
    containers: counter("started_containers_total", "Cumulative number of containers started", [
      "container_type",
    ]),
    containerErrors: counter(
      "started_containers_errors_total",
      "Cumulative number of errors when starting containers",
      ["container_type", "code"],
    ),
    sandboxErrors: counter(
      "run_podsandbox_errors_total",
      "Cumulative number of the run_podsandbox operation errors by RuntimeClass.Handler.",
      ["runtime_handler"],
    ),
    sandboxDuration: metrics.histogram({
      name: "kubelet_run_podsandbox_duration_seconds",
      help: "Duration in seconds of the run_podsandbox operations. Broken down by RuntimeClass.Handler.",
      stability: "ALPHA",
      labels: ["runtime_handler"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
  };
}
