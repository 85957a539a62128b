import { listOf, mapOf, message, named, quantity, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { quantityType, structType } from "../../../schema/language/type.ts";
import { inEachVersion, nameIn } from "./versions.ts";

const capacityRequestPolicyRange = inEachVersion((version) =>
  struct(nameIn(version, "CapacityRequestPolicyRange"), {
    min: quantity(1).expected().doc("The least that can be asked for."),
    max: quantity(2).doc("The most that can be asked for."),
    step: quantity(3).doc("What is above the least comes in multiples of this."),
  }).doc("From what to what a request may go."),
);
export interface CapacityRequestPolicyRange
  extends Infer<ReturnType<typeof capacityRequestPolicyRange>> {}

const capacityRequestPolicy = inEachVersion((version) =>
  struct(nameIn(version, "CapacityRequestPolicy"), {
    default: quantity(1).nullable().doc("What a request gets that does not say."),
    validValues: listOf(3, quantityType).atomic().doc("The amounts that can be had, upwards."),
    validRange: message(4, capacityRequestPolicyRange(version)).doc(
      "The range of amounts that can be had.",
    ),
  }).doc("How much of a capacity a request may take."),
);
export interface CapacityRequestPolicy extends Infer<ReturnType<typeof capacityRequestPolicy>> {}

export const deviceCapacity = inEachVersion((version) =>
  struct(nameIn(version, "DeviceCapacity"), {
    value: quantity(1).always().expected().doc("How much there is."),
    requestPolicy: message(2, capacityRequestPolicy(version)).doc(
      "How it is shared out among several claims.",
    ),
  }).doc("A capacity of a device."),
);

const counter = inEachVersion((version) =>
  struct(nameIn(version, "Counter"), {
    value: quantity(1).always().expected().doc("How much there is, or is taken."),
  }).doc("An amount that devices share."),
);

export const counterSet = inEachVersion((version) =>
  struct(nameIn(version, "CounterSet"), {
    name: string(1).always().expected().doc("What devices call the set."),
    counters: mapOf(2, structType(counter(version)))
      .expected()
      .doc("The amounts, by name."),
  }).doc("Amounts that the devices of a pool share."),
);
export interface CounterSet extends Infer<ReturnType<typeof counterSet>> {}

export const deviceCounterConsumption = inEachVersion((version) =>
  struct(nameIn(version, "DeviceCounterConsumption"), {
    counterSet: string(1).always().expected().doc("The set that is drawn from."),
    counters: mapOf(2, structType(counter(version)))
      .expected()
      .doc("How much is taken, by name."),
  }).doc("What a device takes of a set of counters when it is allocated."),
);
export interface DeviceCounterConsumption
  extends Infer<ReturnType<typeof deviceCounterConsumption>> {}

export const nodeAllocatableResourceMapping = inEachVersion((version) =>
  struct(nameIn(version, "NodeAllocatableResourceMapping"), {
    capacityKey: named(1, `${version}.QualifiedName`)
      .pointer()
      .doc("The capacity that counts as the resource."),
    allocationMultiplier: quantity(2).doc("How much of the resource one unit stands for."),
  }).doc("How a device counts against a resource of its node."),
);
export interface NodeAllocatableResourceMapping
  extends Infer<ReturnType<typeof nodeAllocatableResourceMapping>> {}
