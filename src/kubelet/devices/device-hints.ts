import { allMasks, hasNode, maskSize, type NumaMask } from "../topology/numa-mask.ts";
import { hintsOf, type TopologyHint } from "../topology/topology-hint.ts";
import type { Device } from "./device-plugin.ts";

export interface DeviceHintRequest {
  readonly devices: ReadonlyMap<string, Device>;
  /** The devices from which to choose. */
  readonly available: ReadonlySet<string>;
  /** The devices that must be among them, because init containers have used them. */
  readonly reusable: ReadonlySet<string>;
  readonly required: number;
  /** The NUMA nodes of the machine. */
  readonly numaNodes: readonly number[];
}

/** The sets of NUMA nodes that have enough devices. Sets as small as the machine allows are preferred. */
export function deviceHints(request: DeviceHintRequest): readonly TopologyHint[] {
  const { devices, available, reusable, required, numaNodes } = request;
  const all = [...devices.values()];
  const isNear = (mask: NumaMask, id: string): boolean =>
    devices.get(id)?.numaNodes.some((node) => hasNode(mask, node)) ?? false;
  // Nodes without devices do not matter, and sets of many nodes are many.
  const used = numaNodes.filter((node) => all.some((device) => device.numaNodes.includes(node)));
  const nodes = used.length > 0 ? used : numaNodes;
  let smallest = nodes.length;
  const found: { readonly mask: NumaMask; readonly size: number }[] = [];
  for (const mask of allMasks(nodes)) {
    const size = maskSize(mask);
    const near = all.filter(({ id }) => isNear(mask, id));
    if (near.length >= required) smallest = Math.min(smallest, size);
    const reused = [...reusable].filter((id) => (devices.get(id)?.numaNodes.length ?? 0) > 0);
    if (!reused.every((id) => isNear(mask, id))) continue;
    const free = [...available].filter((id) => isNear(mask, id));
    if (reused.length + free.length >= required) found.push({ mask, size });
  }
  return hintsOf(found, smallest);
}
