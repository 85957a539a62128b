import { isExtendedResource, isHugePageResource } from "../../api/core/v1/resource-name.ts";
import {
  formatQuantity,
  parseQuantity,
  quantitySign,
  subtractQuantities,
} from "../../schema/values/quantity.ts";
import type { Amounts } from "./node-findings.ts";

export interface NodeResourcesInput {
  /** The resources in the node's status so far: others may add some. */
  readonly previous: { readonly capacity?: Amounts; readonly allocatable?: Amounts };
  readonly capacity: Amounts;
  /** Each is subtracted from what pods may use. */
  readonly reserves: readonly Amounts[];
  /** Replaces what of these resources pods may use. */
  readonly allocatable?: Amounts | undefined;
}

/** The capacity of a node, and what of it pods may use. Resources that others added are fully allocatable. */
export function nodeResources(input: NodeResourcesInput): {
  readonly capacity: Amounts;
  readonly allocatable: Amounts;
} {
  const { previous, capacity: own, reserves } = input;
  const capacity = { ...withoutHugePages(previous.capacity ?? {}), ...own };
  const left = reserves.reduce(without, capacity);
  const before = stillThere(previous.allocatable ?? {}, capacity);
  const allocatable = { ...before, ...left, ...input.allocatable };
  return { capacity, allocatable: withoutPagesInMemory(allocatable, capacity) };
}

/** Sizes of huge pages that the machine no longer has are not kept. */
const withoutHugePages = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => !isHugePageResource(name)));

/** The resources without those that a node no longer reports. */
const stillThere = (amounts: Amounts, capacity: Amounts): Amounts =>
  Object.fromEntries(
    Object.entries(amounts).filter(
      ([name]) =>
        Object.hasOwn(capacity, name) || !(isExtendedResource(name) || isHugePageResource(name)),
    ),
  );

/** Huge pages are set aside in the memory of the machine. */
function withoutPagesInMemory(allocatable: Amounts, capacity: Amounts): Amounts {
  return Object.entries(capacity)
    .filter(([name]) => isHugePageResource(name))
    .reduce((rest, [, amount]) => without(rest, { memory: amount }), allocatable);
}

/** Subtracts resources. */
function without(amounts: Amounts, less: Amounts): Amounts {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => {
      const minus = Object.hasOwn(less, name) ? less[name] : undefined;
      if (minus === undefined) return [name, amount];
      const left = subtractQuantities(parseQuantity(amount), parseQuantity(minus));
      return [name, quantitySign(left) < 0 ? "0" : formatQuantity(left)];
    }),
  );
}
