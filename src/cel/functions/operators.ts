import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  noSuchOverload,
  orNoSuchOverload,
  typeNameOf,
} from "../values/cel-value.ts";
import { compareValues, isOrdered } from "../values/compare-values.ts";
import { integerOverflow, unsignedOverflow } from "../values/convert-value.ts";
import { areEqual } from "../values/equal-values.ts";
import { knownRegexp } from "../values/known-regexp.ts";
import { GrowingList, JoinedList } from "../values/list.ts";
import { sizeOf } from "../values/size.ts";
import { addDuration, durationOf, subtractTimes } from "../values/time-arithmetic.ts";
import type { Implementation, Implementations } from "./implementation.ts";

/** Operators, and the functions that are the same for values of all types. */
export const operators: Implementations = {
  "_+_": { two: (a, b) => (hasSum(a) ? sum(a, b) : unsupported("_+_", a)) },
  "_-_": { two: subtract },
  "_*_": arithmetic("_*_", {
    whole: (a, b) => a * b,
    double: (a, b) => a * b,
  }),
  "_/_": arithmetic("_/_", {
    whole: (a, b) => (b === 0n ? divisionByZero : a / b),
    double: (a, b) => a / b,
  }),
  "_%_": arithmetic("_%_", { whole: (a, b) => modulo(a, b) }),
  "-_": { one: negate },
  "!_": { one: (a) => (typeof a === "boolean" ? !a : noSuchOverload) },
  "_<_": ordering("_<_", (order) => order < 0),
  "_<=_": ordering("_<=_", (order) => order <= 0),
  "_>_": ordering("_>_", (order) => order > 0),
  "_>=_": ordering("_>=_", (order) => order >= 0),
  "@in": { two: isIn },
  size: {
    one: (value) => {
      const size = sizeOf(value);
      return size === undefined ? unsupported("size", value) : BigInt(size);
    },
  },
  type: { one: (value) => new CelTypeValue(typeNameOf(value)) },
  matches: { two: matches },
  contains: comparison((text, part) => text.includes(part)),
  startsWith: comparison((text, part) => text.startsWith(part)),
  endsWith: comparison((text, part) => text.endsWith(part)),
  dyn: { one: (value) => value },
  "@not_strictly_false": { one: (value) => value !== false, takesErrors: true },
};

/** Texts, times and durations say of themselves that they have no such function. */
function unsupported(name: string, value: CelValue): CelError {
  const isReceiver =
    typeof value === "string" || value instanceof CelTimestamp || value instanceof CelDuration;
  return isReceiver ? noSuchOverload : new CelError(`no such overload: ${name}`);
}

const divisionByZero = new CelError("division by zero");
const modulusByZero = new CelError("modulus by zero");

const modulo = (a: bigint, b: bigint): bigint | CelError => {
  if (b === 0n) return modulusByZero;
  return a === -(2n ** 63n) && b === -1n ? integerOverflow : a % b;
};

/** An int, or that there is no such int. */
const intOf = (value: bigint): CelValue =>
  value === BigInt.asIntN(64, value) ? value : integerOverflow;
const uintOf = (value: bigint): CelValue =>
  value === BigInt.asUintN(64, value) ? new CelUint(value) : unsignedOverflow;

interface Arithmetic {
  readonly whole: (a: bigint, b: bigint) => bigint | CelError;
  readonly double?: (a: number, b: number) => number;
}

function arithmetic(name: string, { whole, double }: Arithmetic): Implementation {
  const ranged = (a: bigint, b: bigint, toValue: (result: bigint) => CelValue): CelValue => {
    const result = whole(a, b);
    return typeof result === "bigint" ? toValue(result) : result;
  };
  return {
    two: (a, b) => {
      if (typeof a === "bigint")
        return typeof b === "bigint" ? ranged(a, b, intOf) : orNoSuchOverload(b);
      if (a instanceof CelUint)
        return b instanceof CelUint ? ranged(a.value, b.value, uintOf) : orNoSuchOverload(b);
      if (typeof a === "number" && double !== undefined)
        return typeof b === "number" ? double(a, b) : orNoSuchOverload(b);
      return unsupported(name, a);
    },
  };
}

/** Whether something can be added to a value. */
export const hasSum = (value: CelValue): boolean =>
  typeof value === "string" ||
  typeof value === "bigint" ||
  typeof value === "number" ||
  value instanceof CelList ||
  value instanceof CelUint ||
  value instanceof Uint8Array ||
  value instanceof CelDuration ||
  value instanceof CelTimestamp;

/** The sum of two values. */
export function sum(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "bigint" && typeof b === "bigint") return intOf(a + b);
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (a instanceof CelList) return joinLists(a, b);
  if (a instanceof CelDuration || a instanceof CelTimestamp) return sumOfTimes(a, b);
  if (typeNameOf(a) !== typeNameOf(b)) return orNoSuchOverload(b);
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a instanceof CelUint && b instanceof CelUint) return uintOf(a.value + b.value);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return new Uint8Array([...a, ...b]);
  return noSuchOverload;
}

function sumOfTimes(a: CelDuration | CelTimestamp, b: CelValue): CelValue {
  if (a instanceof CelTimestamp)
    return b instanceof CelDuration ? addDuration(a, b.nanos) : orNoSuchOverload(b);
  if (b instanceof CelDuration) return durationOf(a.nanos + b.nanos);
  return b instanceof CelTimestamp ? addDuration(b, a.nanos) : orNoSuchOverload(b);
}

function joinLists(a: CelList, b: CelValue): CelValue {
  if (a.plus) return a.plus(b);
  if (!(b instanceof CelList)) return orNoSuchOverload(b);
  if (a instanceof GrowingList) return a.add(b);
  if (a.size === 0) return b;
  return b.size === 0 ? a : new JoinedList(a, b);
}

function subtract(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "bigint") return typeof b === "bigint" ? intOf(a - b) : orNoSuchOverload(b);
  if (typeof a === "number") return typeof b === "number" ? a - b : orNoSuchOverload(b);
  if (a instanceof CelUint)
    return b instanceof CelUint ? uintOf(a.value - b.value) : orNoSuchOverload(b);
  if (a instanceof CelDuration)
    return b instanceof CelDuration ? durationOf(a.nanos - b.nanos) : orNoSuchOverload(b);
  if (!(a instanceof CelTimestamp)) return unsupported("_-_", a);
  if (b instanceof CelTimestamp) return subtractTimes(a, b);
  if (!(b instanceof CelDuration)) return orNoSuchOverload(b);
  return b.nanos === -(2n ** 63n) ? integerOverflow : addDuration(a, -b.nanos);
}

function negate(value: CelValue): CelValue {
  if (typeof value === "bigint") return intOf(-value);
  if (typeof value === "number") return -value;
  if (value instanceof CelDuration) return durationOf(-value.nanos);
  return typeof value === "boolean" ? noSuchOverload : unsupported("-_", value);
}

function ordering(name: string, holds: (order: number) => boolean): Implementation {
  return {
    two: (a, b) => {
      if (typeof a === "bigint" && typeof b === "bigint") return holds(a < b ? -1 : a > b ? 1 : 0);
      if (!isOrdered(a)) return unsupported(name, a);
      const order = compareValues(a, b);
      return typeof order === "number" ? holds(order) : order;
    },
  };
}

function comparison(holds: (text: string, part: string) => boolean): Implementation {
  return {
    two: (text, part) =>
      typeof text === "string" && typeof part === "string" ? holds(text, part) : noSuchOverload,
  };
}

function matches(text: CelValue, pattern: CelValue): CelValue {
  if (typeof text !== "string") return noSuchOverload;
  if (typeof pattern !== "string") return orNoSuchOverload(pattern);
  const regexp = knownRegexp(pattern);
  return regexp instanceof CelError ? regexp : regexp.test(text);
}

function isIn(value: CelValue, container: CelValue): CelValue {
  if (container instanceof CelList) {
    let fault: CelError | undefined;
    for (let i = 0; i < container.size; i++) {
      const equal = areEqual(value, container.at(i));
      if (equal === true) return true;
      if (equal instanceof CelError) fault ??= equal;
    }
    return container.plus && fault !== undefined ? fault : false;
  }
  if (!(container instanceof CelMap)) return orNoSuchOverload(container);
  const found = container.find(value);
  return found instanceof CelError ? found : container.has(value);
}
