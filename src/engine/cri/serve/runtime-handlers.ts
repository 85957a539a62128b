import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { runtimeMethods } from "../../../cri/wire/messages/runtime-methods.ts";
import { metricsToWire } from "../../../cri/wire/metrics.ts";
import { runtimeStatusToWire } from "../../../cri/wire/runtime-status.ts";
import type { GrpcHandler } from "../../../platform/grpc/grpc-server.ts";
import { handle, handleList } from "./cri-handler.ts";

/** The methods about the runtime itself. */
export const runtimeHandlers = (runtime: RuntimeService): readonly GrpcHandler[] => [
  handle(runtimeMethods.version, async () => {
    const { runtimeName, runtimeVersion } = await runtime.version();
    return {
      version: "0.1.0",
      runtime_name: runtimeName,
      runtime_version: runtimeVersion,
      runtime_api_version: "v1",
    };
  }),
  handle(runtimeMethods.status, async ({ verbose }) =>
    runtimeStatusToWire(await runtime.status({ verbose })),
  ),
  handle(runtimeMethods.updateRuntimeConfig, async ({ runtime_config }) => {
    await runtime.updateRuntimeConfig({ podCidr: runtime_config?.network_config?.pod_cidr ?? "" });
    return {};
  }),
  handle(runtimeMethods.runtimeConfig, async () => {
    const { cgroupDriver } = await runtime.runtimeConfig();
    return { ...(cgroupDriver && { linux: { cgroup_driver: cgroupDriver } }) };
  }),
  handle(runtimeMethods.listMetricDescriptors, async () => {
    const descriptors = await runtime.listMetricDescriptors();
    return {
      descriptors: descriptors.map(({ name, help, labelKeys }) => ({
        name,
        help,
        label_keys: labelKeys,
      })),
    };
  }),
  handle(runtimeMethods.listPodSandboxMetrics, async () => ({
    pod_metrics: (await runtime.listPodSandboxMetrics()).map(metricsToWire),
  })),
  handleList(
    runtimeMethods.streamPodSandboxMetrics,
    () => runtime.listPodSandboxMetrics(),
    (pods) => ({ pod_sandbox_metrics: pods.map(metricsToWire) }),
  ),
];
