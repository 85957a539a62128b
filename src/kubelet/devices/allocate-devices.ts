import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { NumaMask } from "../topology/numa-mask.ts";
import { chooseDevices } from "./choose-devices.ts";
import type { ContainerAllocateResponse } from "./device-messages.ts";
import type { DeviceMetrics } from "./device-metrics.ts";
import type { DevicePreferences } from "./device-plugin.ts";
import type { DeviceRegistry } from "./device-registry.ts";
import type { PodDevices } from "./pod-devices.ts";

/** A resource that a container needs. */
export interface AllocationRequest {
  readonly pod: Pod;
  readonly container: string;
  readonly resource: string;
  readonly required: number;
  readonly affinity: NumaMask | undefined;
}

export interface AllocationSources {
  readonly registry: DeviceRegistry;
  readonly pods: PodDevices;
  readonly metrics: DeviceMetrics;
}

/** Allocates devices of one resource to a container; resolves with whether it did not have them yet. */
export async function allocateDevices(
  request: AllocationRequest,
  sources: AllocationSources,
): Promise<boolean> {
  const { pod, container, resource, required } = request;
  const { registry, pods } = sources;
  const podUid = pod.metadata.uid ?? "";
  const known = pods.idsOf(podUid, container, resource);
  if (known && known.size !== required)
    throw new Error(
      `pod "${podUid}" container "${container}" changed request for resource "${resource}" from ${known.size} to ${required}`,
    );
  checkHealth(registry, resource, known ?? new Set());
  if (known || required === 0) return false;
  const ids = await chooseDevices({
    ...request,
    devices: registry.devicesOf(resource),
    available: availableDevices(resource, sources),
    reusable: pods.reusable(pod, container, resource),
    prefer: (preferences) => preferredDevices(resource, preferences, registry),
  });
  const response = await callAllocate(resource, ids, sources);
  pods.set({ podUid, container, resource, byNode: byNode(ids, resource, registry), response });
  return true;
}

/** The healthy devices of a resource that no container has. */
export function availableDevices(
  resource: string,
  { registry, pods }: Pick<AllocationSources, "registry" | "pods">,
): ReadonlySet<string> {
  const used = pods.inUse().get(resource);
  return new Set(registry.healthy(resource).filter((id) => !used?.has(id)));
}

function checkHealth(registry: DeviceRegistry, resource: string, known: ReadonlySet<string>): void {
  if (!registry.has(resource)) throw new Error(`cannot allocate unregistered device ${resource}`);
  const healthy = new Set(registry.healthy(resource));
  const unhealthy = `cannot allocate unhealthy devices ${resource}`;
  if (healthy.size === 0) throw new Error(`no healthy devices present; ${unhealthy}`);
  if (![...known].every((id) => healthy.has(id)))
    throw new Error(`previously allocated devices are no longer healthy; ${unhealthy}`);
}

async function preferredDevices(
  resource: string,
  preferences: DevicePreferences,
  registry: DeviceRegistry,
): Promise<readonly string[]> {
  if (!registry.pluginOf(resource)?.hasPreferences) return [];
  try {
    return await registry.runningPluginOf(resource).preferredDevices(preferences);
  } catch (error) {
    const why = errorMessage(error);
    throw new Error(`device plugin GetPreferredAllocation rpc failed with err: ${why}`);
  }
}

async function callAllocate(
  resource: string,
  ids: readonly string[],
  { registry, metrics }: AllocationSources,
): Promise<ContainerAllocateResponse> {
  const done = metrics.beginAllocation(resource);
  try {
    return await registry.runningPluginOf(resource).allocate(ids);
  } finally {
    done();
  }
}

function byNode(
  ids: readonly string[],
  resource: string,
  registry: DeviceRegistry,
): Readonly<Record<string, readonly string[]>> {
  const devices = registry.devicesOf(resource);
  const found: Record<string, string[]> = {};
  for (const id of ids) {
    const nodes = devices.get(id)?.numaNodes ?? [];
    for (const node of nodes.length > 0 ? nodes : [anyNode]) {
      found[node] ??= [];
      found[node].push(id);
    }
  }
  return found;
}

/** Stands for devices that are close to no node in particular. */
const anyNode = -1;
