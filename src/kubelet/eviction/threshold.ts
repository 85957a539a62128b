import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type Quantity,
  quantityOf,
} from "../../schema/values/quantity.ts";
import { countsBytes, type Observation, type Observations, type Signal } from "./signal.ts";

/** A limit below which the kubelet frees a resource. */
export interface Threshold {
  readonly signal: Signal;
  readonly value: ThresholdValue;
  /** How long the limit must be met before pods are evicted; 0 for a hard threshold. */
  readonly graceMs: number;
  /** How much more than the limit must be free again. */
  readonly minReclaim?: ThresholdValue | undefined;
}

/** An amount, or a part of the capacity: 0.1 for 10 %. */
export type ThresholdValue = { readonly quantity: Quantity } | { readonly fraction: number };

export const isHard = ({ graceMs }: Threshold): boolean => graceMs === 0;

/** The amount of a value, given the capacity. */
export const thresholdQuantity = (value: ThresholdValue, capacity: number): Quantity =>
  "quantity" in value
    ? value.quantity
    : quantityOf(Math.trunc(capacity * value.fraction), "BinarySI");

/** The thresholds that observations meet; with `withReclaim`, also those that free too little more. */
export function thresholdsMet(
  thresholds: readonly Threshold[],
  observations: Observations,
  withReclaim: boolean,
): readonly Threshold[] {
  return thresholds.filter(({ signal, value, minReclaim }) => {
    const observed = observations.get(signal);
    if (!observed) return false;
    const { capacity, available } = observed;
    const limit = thresholdQuantity(value, capacity);
    const wanted =
      withReclaim && minReclaim
        ? addQuantities(limit, thresholdQuantity(minReclaim, capacity))
        : limit;
    return compareQuantities(wanted, quantityOf(available)) > 0;
  });
}

/** What is available by an observation, as messages say it. */
export const availableText = (signal: Signal, { available }: Observation): string =>
  formatQuantity(quantityOf(available, countsBytes(signal) ? "BinarySI" : "DecimalSI"));
