import {
  bool,
  int64,
  list,
  mapOf,
  message,
  string,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, type Struct, struct } from "../../../schema/language/struct.ts";
import { structType } from "../../../schema/language/type.ts";
import { NodeSelector } from "../../core/v1/scheduling/node-selector.ts";
import { deviceAttribute } from "./device-attribute.ts";
import {
  counterSet,
  deviceCapacity,
  deviceCounterConsumption,
  nodeAllocatableResourceMapping,
} from "./device-capacity.ts";
import { deviceTaint } from "./device-taint.ts";
import { inEachVersion, nameIn, type Version } from "./versions.ts";

/** What a device is, with protobuf numbers from `first` on. */
export const deviceFields = (version: Version, first: number) => ({
  attributes: mapOf(first, structType(deviceAttribute(version)), `${version}.QualifiedName`).doc(
    "What the device is like, by name.",
  ),
  capacity: mapOf(first + 1, structType(deviceCapacity(version)), `${version}.QualifiedName`).doc(
    "How much of what it has, by name.",
  ),
  consumesCounters: list(first + 2, deviceCounterConsumption(version))
    .atomic()
    .doc("What it takes of the counters of its pool."),
  nodeName: string(first + 3)
    .pointer()
    .doc("The node that can reach it."),
  nodeSelector: message(first + 4, NodeSelector).doc("The nodes that can reach it."),
  allNodes: bool(first + 5)
    .pointer()
    .doc("Whether all nodes can reach it."),
  taints: list(first + 6, deviceTaint(version))
    .atomic()
    .doc("What keeps claims from it that do not tolerate it."),
  bindsToNode: bool(first + 7)
    .pointer()
    .doc("Whether it belongs to the node for which it was allocated."),
  bindingConditions: strings(first + 8)
    .atomic()
    .doc("Conditions that must be true before a pod is bound."),
  bindingFailureConditions: strings(first + 9)
    .atomic()
    .doc("Conditions of which none may be true when a pod is bound."),
  allowMultipleAllocations: bool(first + 10)
    .pointer()
    .doc("Whether several claims may have it at once."),
  nodeAllocatableResourceMappings: mapOf(
    first + 11,
    structType(nodeAllocatableResourceMapping(version)),
    "v1.ResourceName",
  ).doc("How it counts against resources of its node."),
});

const device = inEachVersion((version) =>
  struct(nameIn(version, "Device"), {
    name: string(1).always().expected().doc("What it is called in its pool."),
    ...deviceFields(version, 2),
  })
    .defaults(defaultMultipliers)
    .doc("Something that claims can ask for."),
);
export interface Device extends Infer<ReturnType<typeof device>> {}

const resourcePool = inEachVersion((version) =>
  struct(nameIn(version, "ResourcePool"), {
    name: string(1).always().expected().doc("What the pool is called."),
    generation: int64(2)
      .always()
      .expected()
      .doc("Goes up when the pool changes; slices of older ones no longer count."),
    resourceSliceCount: int64(3)
      .always()
      .expected()
      .doc("How many slices the pool has in this generation."),
  }).doc("The pool that a slice is part of."),
);

/** The lines of a slice that all versions share, where devices look like this. */
export const sliceFields = <T, I>(version: Version, of: Struct<T, I>) => ({
  driver: string(1).always().expected().doc("The driver that has the devices."),
  pool: value(2, resourcePool(version)).expected().doc("The pool that the slice is part of."),
  nodeName: string(3).doc("The node that can reach the devices."),
  nodeSelector: message(4, NodeSelector).doc("The nodes that can reach the devices."),
  allNodes: bool(5).doc("Whether all nodes can reach them."),
  devices: list(6, of).atomic().doc("The devices."),
  perDeviceNodeSelection: bool(7)
    .pointer()
    .doc("Whether each device says which nodes can reach it."),
  sharedCounters: list(8, counterSet(version)).atomic().doc("Amounts that the devices share."),
});

export const resourceSliceSpec = inEachVersion((version) => {
  const fields = sliceFields(version, device(version));
  fields.nodeName.pointer();
  fields.allNodes.pointer();
  return struct(nameIn(version, "ResourceSliceSpec"), fields).doc("The devices of a slice.");
});
export interface ResourceSliceSpec extends Infer<ReturnType<typeof resourceSliceSpec>> {}

interface Mapped {
  nodeAllocatableResourceMappings?:
    | Record<string, { allocationMultiplier?: string | number | undefined }>
    | undefined;
}

/** A device counts once against the resources of its node, where nothing else is said. */
export function defaultMultipliers({ nodeAllocatableResourceMappings }: Mapped): void {
  for (const mapping of Object.values(nodeAllocatableResourceMappings ?? {}))
    mapping.allocationMultiplier ??= "1";
}
