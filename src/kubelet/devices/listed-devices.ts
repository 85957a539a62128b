import type { DeviceRegistry } from "./device-registry.ts";
import type { AllocatedDevices } from "./pod-devices.ts";

/** A device, and the NUMA node that it is close to. */
export interface ListedDevice {
  readonly resource: string;
  readonly id: string;
  /** Undefined if it is close to none in particular. */
  readonly numaNode: number | undefined;
}

/** The devices that a container has, one for each node that a device is close to. */
export const allocatedDevices = (
  devices: ReadonlyMap<string, AllocatedDevices> | undefined,
): readonly ListedDevice[] =>
  [...(devices ?? [])].flatMap(([resource, { byNode }]) =>
    Object.entries(byNode).flatMap(([node, ids]) =>
      ids.map((id) => ({ resource, id, numaNode: Number(node) < 0 ? undefined : Number(node) })),
    ),
  );

/** All devices that can be used, whether containers have them or not. */
export const healthyDevices = (registry: DeviceRegistry): readonly ListedDevice[] =>
  registry.names().flatMap((resource) =>
    registry.healthy(resource).flatMap((id): ListedDevice[] => {
      const nodes = registry.devicesOf(resource).get(id)?.numaNodes ?? [];
      if (nodes.length === 0) return [{ resource, id, numaNode: undefined }];
      return nodes.map((numaNode) => ({ resource, id, numaNode }));
    }),
  );
