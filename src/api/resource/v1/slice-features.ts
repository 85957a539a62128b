import type { Draft } from "../../../schema/language/struct.ts";
import type { Device } from "./resource-slice-spec.ts";

interface Slice {
  devices?: Draft<Device>[] | undefined;
}

/** Takes away what belongs to features that are off, unless the slice had it before. */
export function dropDisabledSliceFields(spec: Slice, old: Slice | undefined): void {
  const devices = spec.devices ?? [];
  if (!old?.devices?.some(hasMappings))
    for (const device of devices) delete device.nodeAllocatableResourceMappings;
  if (!old?.devices?.some(hasLists))
    for (const { attributes = {} } of devices)
      for (const attribute of Object.values(attributes))
        for (const name of lists) delete attribute[name];
}

const lists = ["bools", "ints", "strings", "versions"] as const;

const hasMappings = ({ nodeAllocatableResourceMappings = {} }: Draft<Device>): boolean =>
  Object.keys(nodeAllocatableResourceMappings).length > 0;

const hasLists = ({ attributes = {} }: Draft<Device>): boolean =>
  Object.values(attributes).some((attribute) => lists.some((name) => attribute[name]));
