import type { ResourceStatus } from "../../api/core/v1/container/container-status.ts";
import type { DeviceRegistry } from "./device-registry.ts";
import { idsOf, type PodDevices } from "./pod-devices.ts";

/** The health of the devices that a container has, as its status tells it. */
export function deviceStatuses(
  devices: ReturnType<PodDevices["of"]>,
  registry: DeviceRegistry,
): readonly ResourceStatus[] {
  return [...(devices ?? [])]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, allocated]) => {
      const known = registry.devicesOf(name);
      // A device of a plugin that did not register again counts as healthy.
      const health = (id: string) => (known.get(id)?.isHealthy === false ? "Unhealthy" : "Healthy");
      const ids = [...idsOf(allocated)].sort();
      return { name, resources: ids.map((id) => ({ resourceID: id, health: health(id) })) };
    });
}
