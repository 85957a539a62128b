import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { containerStatusToWire } from "../../../cri/wire/container-status.ts";
import { labelsOf, sandboxFilterFromWire } from "../../../cri/wire/filters.ts";
import { runtimeMethods } from "../../../cri/wire/messages/runtime-methods.ts";
import { podResourcesFromWire, sandboxConfigFromWire } from "../../../cri/wire/sandbox-config.ts";
import { sandboxStatsToWire } from "../../../cri/wire/sandbox-stats.ts";
import { sandboxStatusToWire, sandboxToWire } from "../../../cri/wire/sandbox-status.ts";
import { toNanos } from "../../../cri/wire/times.ts";
import type { GrpcHandler } from "../../../platform/grpc/grpc-server.ts";
import { handle, handleList } from "./cri-handler.ts";
import { given } from "./given.ts";

/** The methods about the sandboxes of pods. */
export const sandboxHandlers = (
  runtime: RuntimeService,
  now: () => number,
): readonly GrpcHandler[] => [
  handle(runtimeMethods.runPodSandbox, async ({ config, runtime_handler }) => ({
    pod_sandbox_id: await runtime.runPodSandbox(
      sandboxConfigFromWire(given(config, "sandbox"), runtime_handler),
    ),
  })),
  handle(runtimeMethods.stopPodSandbox, async ({ pod_sandbox_id: id }) => {
    await runtime.stopPodSandbox(id);
    return {};
  }),
  handle(runtimeMethods.removePodSandbox, async ({ pod_sandbox_id: id }) => {
    await runtime.removePodSandbox(id);
    return {};
  }),
  handle(runtimeMethods.podSandboxStatus, async ({ pod_sandbox_id, verbose }) => {
    const timestamp = toNanos(now());
    const status = await runtime.podSandboxStatus(pod_sandbox_id, { verbose });
    const containers = await runtime.listContainers({ sandboxId: status.id });
    return {
      status: sandboxStatusToWire(status),
      info: status.info,
      containers_statuses: containers.map(containerStatusToWire),
      timestamp,
    };
  }),
  handle(runtimeMethods.listPodSandbox, async ({ filter }) => ({
    items: (await runtime.listPodSandboxes(sandboxFilterFromWire(filter))).map(sandboxToWire),
  })),
  handleList(
    runtimeMethods.streamPodSandboxes,
    ({ filter }) => runtime.listPodSandboxes(sandboxFilterFromWire(filter)),
    (sandboxes) => ({ pod_sandboxes: sandboxes.map(sandboxToWire) }),
  ),
  handle(runtimeMethods.updatePodSandboxResources, async ({ pod_sandbox_id, ...resources }) => {
    await runtime.updatePodSandboxResources(pod_sandbox_id, podResourcesFromWire(resources));
    return {};
  }),
  handle(runtimeMethods.podSandboxStats, async ({ pod_sandbox_id }) => ({
    stats: sandboxStatsToWire(await runtime.podSandboxStats(pod_sandbox_id)),
  })),
  handle(runtimeMethods.listPodSandboxStats, async ({ filter }) => ({
    stats: (await runtime.listPodSandboxStats(statsFilter(filter))).map(sandboxStatsToWire),
  })),
  handleList(
    runtimeMethods.streamPodSandboxStats,
    ({ filter }) => runtime.listPodSandboxStats(statsFilter(filter)),
    (pods) => ({ pod_sandbox_stats: pods.map(sandboxStatsToWire) }),
  ),
];

const statsFilter = (
  wire:
    | { readonly id: string; readonly label_selector: Readonly<Record<string, string>> }
    | undefined,
) => ({ ...(wire?.id && { id: wire.id }), ...labelsOf(wire) });
