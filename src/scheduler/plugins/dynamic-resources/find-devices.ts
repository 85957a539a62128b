import type { DeviceSelector } from "../../../api/resource/v1/select-device.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { type Status, status } from "../../framework/status.ts";
import type { AllocatedDevices } from "./allocated-devices.ts";
import type { ClaimState, NodeAllocation } from "./claim-state.ts";
import { type DevicePool, poolsOfNode } from "./device-pools.ts";
import { DeviceSearch } from "./device-search.ts";

export interface FindDevicesOptions {
  readonly selects: DeviceSelector;
  readonly allocated: AllocatedDevices;
  readonly ticks: () => number;
  /** How long the search on a node may take; 0 for any time. */
  readonly timeoutMs: number;
}

const code = "UnschedulableAndUnresolvable";
const noDevices = status(code, "cannot allocate all claims");
const invalidPools = status(code, "invalid resource pools were encountered");
const nothingNeeded: NodeAllocation = { devices: [], extended: undefined };

/** Finds devices on a node for the claims that need some, those for extended resources included. */
export function findDevices(
  { search, extended }: ClaimState,
  info: NodeInfo,
  { selects, allocated, ticks, timeoutMs }: FindDevicesOptions,
): NodeAllocation | Status {
  const { node } = info;
  const nodeClaim = extended?.claimFor(info);
  if (typeof nodeClaim === "string") return status(code, nodeClaim);
  const claims = nodeClaim ? [...search.claims, nodeClaim] : search.claims;
  if (claims.length === 0 || !node) return nothingNeeded;
  const until = timeoutMs === 0 ? Number.POSITIVE_INFINITY : ticks() + timeoutMs;
  const checkTime = (): void => {
    if (ticks() > until) throw new Error(`node ${info.name}: timed out trying to allocate devices`);
  };
  const pools = poolsOfNode(search.slices, node);
  const options = { node, pools, allocated, selects, checkTime };
  const devices = new DeviceSearch(claims, options).run();
  return devices ? { devices, extended: nodeClaim } : missing(pools);
}

const missing = (pools: readonly DevicePool[]): Status =>
  pools.some(({ isInvalid }) => isInvalid) ? invalidPools : noDevices;
