import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { parseQuantity, quantitySign } from "../../../schema/values/quantity.ts";
import { isNativeResource } from "../../core/v1/resource-name.ts";
import { validateNodeSelector } from "../../core/v1/scheduling/node-selector-validation.ts";
import { validateBindingConditions } from "./binding-conditions.ts";
import { validateItems, validateMap, validateSet } from "./bounded.ts";
import { validateRequestPolicy } from "./capacity-policy-validation.ts";
import { validateCounters } from "./counter-validation.ts";
import { type DeviceAttribute, validateDeviceAttribute } from "./device-attribute.ts";
import type { NodeAllocatableResourceMapping } from "./device-capacity.ts";
import { validateDeviceTaint } from "./device-taint.ts";
import { waysToNodes } from "./reachable-nodes.ts";
import { maxQualifiedName, validateQualifiedName, validateShortName } from "./resource-names.ts";
import type { Device } from "./resource-slice-spec.ts";

const maxTaints = 16;
const maxCounterConsumptions = 2;
const maxAttributesAndCapacities = 32;
const maxAttributeValues = 48;

export interface DeviceContext {
  /** The device of that name in the slice as it was. */
  readonly old: Device | undefined;
  /** Whether each device of the slice says which nodes can reach it. */
  readonly saysNodes: boolean;
}

export function validateDevice(device: Device, at: At, { old, saysNodes }: DeviceContext): void {
  const { attributes = {}, capacity = {}, taints } = device;
  validateShortName(device.name, at.child("name"));
  validateAmounts(device, at);
  const names = { max: -1, maxKey: maxQualifiedName, key: validateQualifiedName };
  validateMap(attributes, at.child("attributes"), { ...names, item: validateDeviceAttribute });
  validateMap(capacity, at.child("capacity"), {
    ...names,
    item({ value, requestPolicy }, here) {
      if (!requestPolicy) return;
      if (device.allowMultipleAllocations)
        validateRequestPolicy(requestPolicy, here.child("requestPolicy"), value);
      else here.forbidden("requestPolicy", "allowMultipleAllocations must be true");
    },
  });
  if (!old || !sameValue(old.taints, taints))
    validateItems(taints, at.child("taints"), {
      max: maxTaints,
      item: (taint, here) => validateDeviceTaint(taint, here),
    });
  validateSet(device.consumesCounters, at.child("consumesCounters"), {
    max: maxCounterConsumptions,
    item: (consumption, here) => validateCounters(consumption, here, "counterSet"),
    key: ({ counterSet }) => counterSet,
  });
  if (saysNodes) validateNodes(device, at);
  else if (device.nodeName !== undefined || device.nodeSelector || device.allNodes !== undefined)
    at.invalid(
      "",
      null,
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    );
  validateBindingConditions(device, at);
  for (const [name, mapping] of Object.entries(device.nodeAllocatableResourceMappings ?? {}))
    validateMapping(mapping, at.child("nodeAllocatableResourceMappings").key(name), {
      name,
      capacity,
    });
}

/** A device is not too large. */
function validateAmounts({ attributes = {}, capacity = {} }: Device, at: At): void {
  const names = Object.keys(attributes).length + Object.keys(capacity).length;
  if (names > maxAttributesAndCapacities)
    at.invalid(
      "",
      names,
      `the total number of attributes and capacities must not exceed ${maxAttributesAndCapacities}`,
    );
  const values = Object.values(attributes).reduce((sum, each) => sum + countOf(each), 0);
  if (values > maxAttributeValues)
    at.invalid(
      "",
      values,
      `the total number of attribute values must not exceed ${maxAttributeValues}`,
    );
}

const countOf = ({ bools = [], ints = [], strings = [], versions = [] }: DeviceAttribute) =>
  bools.length + ints.length + strings.length + versions.length || 1;

/** Which nodes can reach the device is said in just one way. */
function validateNodes(device: Device, at: At): void {
  const ways = waysToNodes(device, at, {
    emptyName: "must not be empty",
    validateSelector: validateNodeSelector,
  });
  const problem =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (ways.length === 0) at.required("", problem);
  if (ways.length > 1) at.invalid("", `{${ways.join(", ")}}`, problem);
}

function validateMapping(
  { allocationMultiplier, capacityKey }: NodeAllocatableResourceMapping,
  at: At,
  { name, capacity }: { readonly name: string; readonly capacity: object },
): void {
  if (!isNativeResource(name)) at.invalid("", name, "must be a node allocatable resource name");
  if (allocationMultiplier === undefined && capacityKey === undefined)
    at.invalid("", "", "at least one of allocationMultiplier or capacityKey must be set");
  if (allocationMultiplier !== undefined && quantitySign(parseQuantity(allocationMultiplier)) <= 0)
    at.invalid("allocationMultiplier", allocationMultiplier, "must be positive");
  if (capacityKey === "") at.invalid("capacityKey", "", "capacityKey must not be an empty string");
  else if (capacityKey !== undefined && !Object.hasOwn(capacity, capacityKey))
    at.notFound("capacityKey", capacityKey);
}
