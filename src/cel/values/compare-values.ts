import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import {
  CelDuration,
  CelError,
  CelTimestamp,
  CelUint,
  type CelValue,
  noSuchOverload,
  orNoSuchOverload,
  typeNameOf,
} from "./cel-value.ts";

/** Numbers of all types can be compared with each other. */
export type CelNumber = bigint | number | CelUint;

export const isNumber = (value: CelValue): value is CelNumber =>
  typeof value === "bigint" || typeof value === "number" || value instanceof CelUint;

/** The order of two numbers: -1, 0 or 1; not a number has none. */
export function compareNumbers(a: CelNumber, b: CelNumber): number {
  const [left, right] = [plain(a), plain(b)];
  if (typeof left === typeof right) return order(left, right);
  // Where an integer meets a double it becomes one, unless the double is beyond all of its type.
  if (typeof left === "number") return compareDouble(left, { whole: right as bigint, of: b });
  return -compareDouble(right as number, { whole: left, of: a });
}

function compareDouble(double: number, { whole, of }: { whole: bigint; of: CelNumber }): number {
  const [low, high] = of instanceof CelUint ? [0, 2 ** 64] : [-(2 ** 63), 2 ** 63];
  if (double < low) return -1;
  if (double > high) return 1;
  return order(double, Number(whole));
}

const plain = (value: CelNumber): bigint | number =>
  value instanceof CelUint ? value.value : value;

/** Not a number differs from all. */
function order(a: bigint | number, b: bigint | number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : Number.NaN;
}

/** Whether values of this type have an order. */
export const isOrdered = (value: CelValue): boolean =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  isNumber(value) ||
  value instanceof CelTimestamp ||
  value instanceof CelDuration ||
  value instanceof Uint8Array;

/** The order of two values: -1, 0 or 1; an error if they have none. */
export function compareValues(a: CelValue, b: CelValue): number | CelError {
  if (typeof a === "bigint" && typeof b === "bigint") return order(a, b);
  if (isNumber(a)) return isNumber(b) || isNotANumber(a) ? orderNumbers(a, b) : orNoSuchOverload(b);
  if (typeNameOf(a) !== typeNameOf(b)) return orNoSuchOverload(b);
  if (typeof a === "string") return Math.sign(compareUtf8(a, b as string));
  if (typeof a === "boolean") return Number(a) - Number(b);
  if (a instanceof CelDuration && b instanceof CelDuration) return order(a.nanos, b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp)
    return order(a.seconds, b.seconds) || order(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return noSuchOverload;
}

function orderNumbers(a: CelNumber, b: CelValue): number | CelError {
  return isNotANumber(a) || isNotANumber(b) || !isNumber(b) ? unordered : compareNumbers(a, b);
}

const isNotANumber = (value: CelValue): boolean => typeof value === "number" && Number.isNaN(value);

const unordered = new CelError("NaN values cannot be ordered");

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = order(a[i] as number, b[i] as number);
    if (difference !== 0) return difference;
  }
  return order(a.length, b.length);
}
