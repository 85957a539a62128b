import { hasNode, type NumaMask } from "../topology/numa-mask.ts";
import type { Device, DevicePreferences } from "./device-plugin.ts";

export interface DeviceRequest {
  readonly resource: string;
  /** How many devices the container needs. */
  readonly required: number;
  /** All devices of the resource, by ID. */
  readonly devices: ReadonlyMap<string, Device>;
  /** The healthy devices that no container has. */
  readonly available: ReadonlySet<string>;
  /** The devices that init containers of the pod have used. */
  readonly reusable: ReadonlySet<string>;
  /** The NUMA nodes that the devices should be close to; undefined for any. */
  readonly affinity: NumaMask | undefined;
  /** The devices that the plugin prefers; empty if it does not care. */
  prefer(preferences: DevicePreferences): Promise<readonly string[]>;
}

/** Chooses devices for a container. Rejects if there are not enough. */
export async function chooseDevices(request: DeviceRequest): Promise<readonly string[]> {
  const { resource, required, available, prefer } = request;
  const chosen = new Set<string>();
  const needed = (): number => required - chosen.size;
  const take = (devices: Iterable<string>): boolean => {
    for (const device of devices) if (needed() > 0) chosen.add(device);
    return needed() === 0;
  };
  /** Takes what the plugin prefers of these devices. */
  const takePreferred = async (from: ReadonlySet<string>): Promise<boolean> => {
    const preferred = await prefer({
      available: [...new Set([...from, ...chosen])],
      mustInclude: [...chosen],
      size: required,
    });
    return take(preferred.filter((device) => from.has(device)));
  };

  if (take(request.reusable)) return [...chosen];
  if (available.size < needed())
    throw new Error(
      `requested number of devices unavailable for ${resource}. Requested: ${needed()}, Available: ${available.size}`,
    );
  const { aligned, unaligned, anywhere } = byAffinity(request);
  if (needed() < aligned.size) {
    if ((await takePreferred(aligned)) || take(aligned)) return [...chosen];
  } else {
    // All aligned devices are taken first: the alignment is guaranteed.
    if (take(aligned) || (await takePreferred(available))) return [...chosen];
    if (take(unaligned) || take(anywhere)) return [...chosen];
  }
  throw new Error(
    `unexpectedly allocated less resources than required. Requested: ${required}, Got: ${chosen.size}`,
  );
}

interface DevicesByAffinity {
  readonly aligned: ReadonlySet<string>;
  readonly unaligned: ReadonlySet<string>;
  /** Devices that are close to no node in particular. */
  readonly anywhere: ReadonlySet<string>;
}

function byAffinity({ devices, available, affinity }: DeviceRequest): DevicesByAffinity {
  const isTopologyKnown = [...devices.values()].some(({ numaNodes }) => numaNodes.length > 0);
  if (affinity === undefined || !isTopologyKnown)
    return { aligned: new Set(), unaligned: new Set(), anywhere: available };
  const nodesOf = (id: string): readonly number[] => devices.get(id)?.numaNodes ?? [];
  const isAligned = (id: string): boolean => nodesOf(id).some((node) => hasNode(affinity, node));
  const ids = [...available];
  return {
    aligned: new Set(ids.filter(isAligned)),
    unaligned: new Set(ids.filter((id) => nodesOf(id).length > 0 && !isAligned(id))),
    anywhere: new Set(ids.filter((id) => nodesOf(id).length === 0)),
  };
}
