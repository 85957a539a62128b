import { formatQuantity, parseQuantity, quantityValue } from "../../schema/values/quantity.ts";
import type { Amounts } from "../node/node-findings.ts";
import type { Signal } from "./signal.ts";
import { isHard, type Threshold, thresholdQuantity } from "./threshold.ts";

/** The resources that hard thresholds keep free of a capacity: pods cannot be scheduled for them. */
export function evictionReserve(thresholds: readonly Threshold[], capacity: Amounts): Amounts {
  const reserved = thresholds.filter(isHard).flatMap(({ signal, value }) => {
    const name = reservedResources[signal];
    if (name === undefined) return [];
    const most = quantityValue(parseQuantity(capacity[name] ?? "0"));
    return [[name, formatQuantity(thresholdQuantity(value, most))] as const];
  });
  return Object.fromEntries(reserved);
}

const reservedResources: Partial<Record<Signal, string>> = {
  "memory.available": "memory",
  "nodefs.available": "ephemeral-storage",
};
