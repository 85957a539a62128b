import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import { countedImages, countedRuntime } from "./counted-runtime.ts";
import { sizeLabel } from "./image-size-label.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";

function counting() {
  const metrics = new MetricsRegistry();
  let now = 0;
  return { metrics, ticks: () => (now += 2000) };
}

/** Keeps its state as the classes of runtimes do. */
class FakeRuntime {
  #id = 0;

  async createContainer(_: string, { kind }: { readonly kind: string }): Promise<string> {
    if (kind === "sidecar") throw new Error("refused");
    return `c${++this.#id}`;
  }
  async startContainer(id: string): Promise<void> {
    if (id === "c1") throw new Error("broken");
  }
  async runPodSandbox(): Promise<string> {
    return "s";
  }
  async exec(): Promise<number> {
    return 0;
  }
  containerEvents(): () => void {
    return () => {};
  }
}

test("countedRuntime: counts operations, and what is started", async () => {
  const options = counting();
  const runtime = countedRuntime(new FakeRuntime() as unknown as RuntimeService, options);
  const config = (kind: string) => ({ kind }) as never;
  await runtime.runPodSandbox({ runtimeHandler: "kata" } as never);
  await runtime.createContainer("s", config("init"), {} as never);
  await runtime.createContainer("s", config("container"), {} as never);
  await expect(runtime.createContainer("s", config("sidecar"), {} as never)).rejects.toThrow();
  await expect(runtime.startContainer("c1")).rejects.toThrow("broken");
  await runtime.startContainer("c2");
  await runtime.exec({} as never, {} as never);
  expect(runtime.containerEvents(() => {})).toBeTypeOf("function");
  const text = options.metrics.text();
  for (const line of [
    'kubelet_runtime_operations_total{operation_type="create_container"} 3',
    'kubelet_runtime_operations_errors_total{operation_type="create_container"} 1',
    'kubelet_runtime_operations_errors_total{operation_type="start_container"} 1',
    'kubelet_runtime_operations_duration_seconds_sum{operation_type="start_container"} 4',
    'kubelet_runtime_operations_total{operation_type="exec"} 1',
    "kubelet_started_pods_total 1",
    "kubelet_started_pods_errors_total 0",
    'kubelet_run_podsandbox_duration_seconds_count{runtime_handler="kata"} 1',
    'kubelet_started_containers_total{container_type="container"} 1',
    'kubelet_started_containers_total{container_type="init_container"} 2',
    'kubelet_started_containers_errors_total{code="CreateContainerError",container_type="init_container"} 1',
    'kubelet_started_containers_errors_total{code="RunContainerError",container_type="init_container"} 1',
  ])
    expect(text).toContain(`${line}\n`);
  expect(text).not.toContain('duration_seconds_count{operation_type="exec"}');
});

test("countedImages: measures pulls by size", async () => {
  const options = counting();
  const images = countedImages(
    { pullImage: async () => ({ sizeBytes: 20 * 1024 ** 2 }) } as unknown as ImageService,
    options,
  );
  await images.pullImage("a");
  expect(options.metrics.text()).toContain(
    'kubelet_image_pull_duration_seconds_sum{image_size_in_bytes="10MB-100MB"} 2\n',
  );
});

each<[bytes: number, label: string]>([
  [0, "0-10MB"],
  [10 * 1024 ** 2, "10MB-100MB"],
  [1024 ** 3 - 1, "500MB-1GB"],
  [200 * 1024 ** 3, "GT100GB"],
])("sizeLabel: %d", (bytes, label) => {
  expect(sizeLabel(bytes)).toBe(label);
});

test("createWorkerMetrics: upstream's names", () => {
  const metrics = new MetricsRegistry();
  const workers = createWorkerMetrics(metrics);
  workers.began(2, 0.5);
  workers.stepped("create", 0.2);
  workers.started(3, { sinceCreation: 4, preparing: 1, isStateful: false });
  workers.startedWithUsers();
  workers.startedWithUsers();
  workers.failedWithUsers();
  workers.restarted(true);
  workers.terminated({ type: "container", exitCode: 139, reason: "Error" });
  workers.rejected("OutOfcpu");
  workers.preempted("memory");
  const text = metrics.text();
  for (const line of [
    "kubelet_containers_per_pod_count_sum 2",
    'kubelet_pod_worker_duration_seconds_bucket{operation_type="create",le="0.25"} 1',
    "kubelet_pod_start_duration_seconds_sum 3",
    "kubelet_pod_start_total_duration_seconds_sum 4",
    "kubelet_pod_start_sli_duration_seconds_sum 3",
    "kubelet_pod_worker_start_duration_seconds_sum 0.5",
    "kubelet_started_user_namespaced_pods_total 2",
    "kubelet_started_user_namespaced_pods_errors_total 1",
    'kubelet_restarted_pods_total{static=""} 0',
    'kubelet_restarted_pods_total{static="true"} 1',
    'kubelet_terminated_containers_total{container_type="container",exit_code="139",reason="Error"} 1',
    'kubelet_preemptions{preemption_signal="memory"} 1',
    'kubelet_admission_rejections_total{reason="OutOfcpu"} 1',
  ])
    expect(text).toContain(`${line}\n`);
});
