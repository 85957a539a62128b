import type { At } from "../../../schema/language/report.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityValue,
} from "../../../schema/values/quantity.ts";
import { validateSet } from "./bounded.ts";
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from "./device-capacity.ts";

const maxValues = 10;

/** The rules of how a capacity is shared out: amounts or a range, and a default that is among them. */
export function validateRequestPolicy(
  { default: standard, validValues = [], validRange }: CapacityRequestPolicy,
  at: At,
  capacity: string,
): void {
  if (validValues.length > 0 && validRange)
    at.forbidden(
      "",
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
  else if (validValues.length > 0) {
    if (!standard) at.required("default", "required when validValues is defined");
    else validateValues(validValues, at.child("validValues"), { standard, capacity });
  } else if (validRange) {
    if (!standard) at.required("default", "required when validRange is defined");
    else validateRange(validRange, at.child("validRange"), { standard, capacity });
  }
}

interface Bounds {
  readonly standard: string;
  readonly capacity: string;
}

function validateValues(values: readonly string[], at: At, { standard, capacity }: Bounds): void {
  const amounts = values.map(parseQuantity);
  for (const [i, amount] of amounts.entries()) {
    const next = amounts[i + 1];
    if (next && compareQuantities(amount, next) > 0)
      at.index(i + 1).invalid("", values[i + 1], "values must be sorted in ascending order");
  }
  validateSet(values, at, {
    max: maxValues,
    item(value, here) {
      if (isMore(value, capacity))
        here.invalid("", value, `option is larger than capacity value: ${capacity}`);
    },
    key: (value) => `${quantityValue(parseQuantity(value))}`,
  });
  // A list that is too long is not searched.
  const chosen = parseQuantity(standard);
  if (
    values.length > maxValues ||
    !amounts.some((amount) => compareQuantities(amount, chosen) === 0)
  )
    at.invalid("", standard, "default value is not valid according to the requestPolicy");
}

function validateRange(
  { min, max, step }: CapacityRequestPolicyRange,
  at: At,
  { standard, capacity }: Bounds,
): void {
  if (!min) {
    at.required("min", "required when validRange is defined");
    return;
  }
  if (isMore(min, capacity))
    at.invalid("min", min, `min is larger than capacity value: ${capacity}`);
  if (isMore(min, standard)) at.invalid("min", standard, `default is less than min: ${min}`);
  if (max) {
    if (isMore(min, max)) at.invalid("max", min, `min is larger than max: ${max}`);
    if (isMore(max, capacity))
      at.invalid("max", max, `max is larger than capacity value: ${capacity}`);
    if (isMore(standard, max)) at.invalid("max", standard, `default is more than max: ${max}`);
  }
  if (!step) return;
  const first = formatQuantity(addQuantities(parseQuantity(min), parseQuantity(step)));
  if (isMore(first, capacity))
    at.invalid("step", step, `one step ${first} is larger than capacity value: ${capacity}`);
  for (const value of max ? [standard, max] : [standard])
    if (!isStepFrom(parseQuantity(value), parseQuantity(min), parseQuantity(step)))
      at.invalid("step", value, `value is not a multiple of a given step (${step}) from (${min})`);
}

const isMore = (a: string, b: string): boolean =>
  compareQuantities(parseQuantity(a), parseQuantity(b)) > 0;

/** In whole numbers; nothing is a step of zero. */
function isStepFrom(value: Quantity, min: Quantity, step: Quantity): boolean {
  return (quantityValue(value) - quantityValue(min)) % quantityValue(step) === 0;
}
