import type { Node } from "../../../api/core/v1/node/node.ts";
import type { DeviceClass } from "../../../api/resource/v1/device-class.ts";
import { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import type { Device } from "../../../api/resource/v1/resource-slice-spec.ts";
import { celDeviceSelector } from "../../../api/resource/v1/select-device.ts";
import { extendedResourceClasses } from "../../framework/extended-resource-classes.ts";
import type { Handle } from "../../framework/handle.ts";
import { claimTrackerOf } from "./claim-tracker.ts";
import { deviceId, indexSlices, reachesNode, type SliceIndex } from "./device-pools.ts";

/** How many devices of a node stand for an extended resource, and how many of them claims have. */
export interface DeviceAmount {
  readonly total: number;
  readonly taken: number;
}

/** Counts devices, for scores by resources that no device plugin offers. */
export interface DeviceAmounts {
  /** Begins for a pod; returns whether devices stand for any of the resources. */
  begin(resources: readonly string[]): boolean;
  of(resource: string, node: Node): DeviceAmount;
}

const none: DeviceAmount = { total: 0, taken: 0 };

export function deviceAmounts(handle: Handle): DeviceAmounts {
  const classOf = extendedResourceClasses(handle);
  const slices = handle.informer(ResourceSlice);
  const tracker = claimTrackerOf(handle);
  const fits = classMembership();
  const counted = new Map<string, DeviceAmount>();
  let index: SliceIndex = indexSlices([]);

  const isTaken = (id: string): boolean =>
    tracker.allocated.isTaken(id) || tracker.allocated.sharedAmounts(id) !== undefined;
  const count = (resource: string, node: Node): DeviceAmount => {
    const deviceClass = classOf(resource);
    if (!deviceClass) return none;
    let [total, taken] = [0, 0];
    const own = index.ofNode.get(node.metadata.name ?? "") ?? [];
    for (const slice of [...own, ...index.shared])
      for (const device of devicesFor(slice, node)) {
        const { driver, pool } = slice.spec;
        if (!fits(device, deviceClass, driver)) continue;
        total++;
        if (isTaken(deviceId(driver, pool.name, device.name))) taken++;
      }
    return { total, taken };
  };

  return {
    begin(resources) {
      if (!resources.some((name) => classOf(name))) return false;
      tracker.refresh();
      index = indexSlices(slices.list());
      counted.clear();
      return true;
    },
    of(resource, node) {
      const key = `${resource} ${node.metadata.name}`;
      let known = counted.get(key);
      if (!known) {
        known = amountOrNone(() => count(resource, node), handle);
        counted.set(key, known);
      }
      return known;
    },
  };
}

/** The devices of a slice that a node reaches. */
function devicesFor({ spec }: ResourceSlice, node: Node): readonly Device[] {
  const { devices = [], perDeviceNodeSelection } = spec;
  if (perDeviceNodeSelection) return devices.filter((device) => reachesNode(device, node));
  return reachesNode(spec, node) ? devices : [];
}

/** A resource whose class cannot be evaluated does not count. */
function amountOrNone(count: () => DeviceAmount, { log }: Handle): DeviceAmount {
  try {
    return count();
  } catch (error) {
    log.error("counting the devices of an extended resource failed", error);
    return none;
  }
}

/** Whether all selectors of a class select a device; evaluated once for each version of both. */
function classMembership(): (device: Device, deviceClass: DeviceClass, driver: string) => boolean {
  const selects = celDeviceSelector();
  const known = new WeakMap<DeviceClass, WeakMap<Device, boolean>>();
  return (device, deviceClass, driver) => {
    const { selectors = [] } = deviceClass.spec;
    if (selectors.length === 0) return true;
    const members = known.get(deviceClass) ?? new WeakMap<Device, boolean>();
    known.set(deviceClass, members);
    let isMember = members.get(device);
    if (isMember === undefined) {
      isMember = selectors.every(({ cel }) => selects(cel?.expression ?? "", device, driver));
      members.set(device, isMember);
    }
    return isMember;
  };
}
