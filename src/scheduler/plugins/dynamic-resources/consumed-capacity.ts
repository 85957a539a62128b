import type { Device } from "../../../api/resource/v1/resource-slice-spec.ts";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
  quantityValue,
  subtractQuantities,
} from "../../../schema/values/quantity.ts";

/** Amounts by name. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** How much of each capacity a request asks for. */
export type CapacityRequest = { readonly requests?: Readonly<Record<string, string>> | undefined };

type Capacity = NonNullable<Device["capacity"]>[string];

/**
 * Returns how much of each capacity of a device a request takes: what it asks for, rounded as the device
 * wants it; undefined if the device does not have that much left, or does not offer it.
 */
export function consumedCapacity(
  { capacity = {} }: Device,
  request: CapacityRequest | undefined,
  taken: readonly (Amounts | undefined)[],
): Amounts | undefined {
  const asked = request?.requests ?? {};
  if (Object.keys(asked).some((name) => !Object.hasOwn(capacity, name))) return undefined;
  const consumed = new Map<string, Quantity>();
  for (const [name, one] of Object.entries(capacity)) {
    const amount = roundedAmount(asked[name], one);
    if (!isAllowed(amount, one)) return undefined;
    const total = taken.reduce((sum, by) => addQuantities(sum, by?.get(name) ?? zero), amount);
    if (compareQuantities(total, parseQuantity(one.value)) > 0) return undefined;
    consumed.set(name, amount);
  }
  return consumed;
}

const zero = quantityOf(0);

/** Adds amounts to others, or takes them away. */
export function changeAmounts(to: Map<string, Quantity>, by: Amounts, sign: 1 | -1): void {
  for (const [name, amount] of by) {
    const old = to.get(name) ?? zero;
    to.set(name, sign > 0 ? addQuantities(old, amount) : subtractQuantities(old, amount));
  }
}

/** Without a request, the default of the capacity is taken, or all of it. */
function roundedAmount(asked: string | undefined, { value, requestPolicy }: Capacity): Quantity {
  if (asked === undefined) return parseQuantity(requestPolicy?.default ?? value);
  const amount = parseQuantity(asked);
  const { validRange, validValues } = requestPolicy ?? {};
  if (validRange?.min !== undefined) {
    const { min, step } = validRange;
    if (compareQuantities(amount, parseQuantity(min)) < 0) return parseQuantity(min);
    if (step === undefined) return amount;
    const [least, each] = [quantityValue(parseQuantity(min)), quantityValue(parseQuantity(step))];
    const steps = Math.ceil((quantityValue(amount) - least) / each);
    return quantityOf(least + each * steps, "BinarySI");
  }
  const next = validValues?.map(parseQuantity).find((one) => compareQuantities(amount, one) <= 0);
  return next ?? amount;
}

function isAllowed(amount: Quantity, { requestPolicy }: Capacity): boolean {
  const { default: usual, validRange, validValues = [] } = requestPolicy ?? {};
  if (usual && compareQuantities(amount, parseQuantity(usual)) === 0) return true;
  if (validRange) {
    const { min = "0", max, step } = validRange;
    if (max !== undefined && compareQuantities(amount, parseQuantity(max)) > 0) return false;
    if (step === undefined) return true;
    const above = quantityValue(amount) - quantityValue(parseQuantity(min));
    return above % quantityValue(parseQuantity(step)) === 0;
  }
  if (validValues.length === 0) return true;
  return validValues.some((one) => compareQuantities(amount, parseQuantity(one)) === 0);
}
