import { resourcesOf } from "../../../cri/linux-resources.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import type { ContainerStatsFilter } from "../../../cri/stats-types.ts";
import { containerConfigFromWire } from "../../../cri/wire/container-config.ts";
import { containerStatsToWire } from "../../../cri/wire/container-stats.ts";
import { containerStatusToWire, containerToWire } from "../../../cri/wire/container-status.ts";
import { containerFilterFromWire, labelsOf } from "../../../cri/wire/filters.ts";
import { linuxResourcesFromWire } from "../../../cri/wire/linux-resources.ts";
import { runtimeMethods } from "../../../cri/wire/messages/runtime-methods.ts";
import { sandboxConfigFromWire } from "../../../cri/wire/sandbox-config.ts";
import type { GrpcHandler } from "../../../platform/grpc/grpc-server.ts";
import { handle, handleList } from "./cri-handler.ts";
import { given } from "./given.ts";

/** The methods about containers. */
export const containerHandlers = (runtime: RuntimeService): readonly GrpcHandler[] => [
  handle(runtimeMethods.createContainer, async ({ pod_sandbox_id, config, sandbox_config }) => ({
    container_id: await runtime.createContainer(
      pod_sandbox_id,
      containerConfigFromWire(given(config, "container")),
      sandboxConfigFromWire(given(sandbox_config, "pod sandbox")),
    ),
  })),
  handle(runtimeMethods.startContainer, async ({ container_id }) => {
    await runtime.startContainer(container_id);
    return {};
  }),
  handle(runtimeMethods.stopContainer, async ({ container_id, timeout }) => {
    await runtime.stopContainer(container_id, timeout);
    return {};
  }),
  handle(runtimeMethods.removeContainer, async ({ container_id }) => {
    await runtime.removeContainer(container_id);
    return {};
  }),
  handle(runtimeMethods.containerStatus, async ({ container_id, verbose }) => {
    const status = await runtime.containerStatus(container_id, { verbose });
    return { status: containerStatusToWire(status), info: status.info };
  }),
  handle(runtimeMethods.listContainers, async ({ filter }) => ({
    containers: (await runtime.listContainers(containerFilterFromWire(filter))).map(
      containerToWire,
    ),
  })),
  handleList(
    runtimeMethods.streamContainers,
    ({ filter }) => runtime.listContainers(containerFilterFromWire(filter)),
    (containers) => ({ containers: containers.map(containerToWire) }),
  ),
  handle(runtimeMethods.updateContainerResources, async ({ container_id, linux }) => {
    const resources = linux ? resourcesOf(linuxResourcesFromWire(linux)) : {};
    await runtime.updateContainerResources(container_id, resources);
    return {};
  }),
  handle(runtimeMethods.reopenContainerLog, async ({ container_id }) => {
    await runtime.reopenContainerLog(container_id);
    return {};
  }),
  handle(runtimeMethods.checkpointContainer, async ({ container_id, location, timeout }) => {
    await runtime.checkpointContainer(container_id, { location, timeoutSeconds: timeout });
    return {};
  }),
  handle(runtimeMethods.containerStats, async ({ container_id }) => ({
    stats: containerStatsToWire(await runtime.containerStats(container_id)),
  })),
  handle(runtimeMethods.listContainerStats, async ({ filter }) => ({
    stats: (await runtime.listContainerStats(statsFilter(filter))).map(containerStatsToWire),
  })),
  handleList(
    runtimeMethods.streamContainerStats,
    ({ filter }) => runtime.listContainerStats(statsFilter(filter)),
    (stats) => ({ container_stats: stats.map(containerStatsToWire) }),
  ),
];

interface WireStatsFilter {
  readonly id: string;
  readonly pod_sandbox_id: string;
  readonly label_selector: Readonly<Record<string, string>>;
}

const statsFilter = (wire: WireStatsFilter | undefined): ContainerStatsFilter => ({
  ...(wire?.id && { id: wire.id }),
  ...(wire?.pod_sandbox_id && { sandboxId: wire.pod_sandbox_id }),
  ...labelsOf(wire),
});
