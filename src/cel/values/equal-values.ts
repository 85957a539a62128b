import {
  type CelData,
  CelDuration,
  type CelError,
  CelList,
  CelMap,
  CelObject,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  type CelValue,
  isError,
} from "./cel-value.ts";
import { compareNumbers, isNumber } from "./compare-values.ts";

/** Whether two values are equal; an error if they cannot be compared. Null equals only null. */
export function areEqual(a: CelValue, b: CelValue): boolean | CelError {
  if (typeof a === "string" || typeof a === "boolean" || a === null || b === null) return a === b;
  if (typeof a === "bigint" && typeof b === "bigint") return a === b;
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0;
  return sameData(a, b);
}

function sameData(a: Uint8Array | CelData, b: CelValue): boolean | CelError {
  if (a instanceof CelList) return a.equalTo ? a.equalTo(b) : sameLists(a, b);
  if (a instanceof CelMap) return a.equalTo ? a.equalTo(b) : sameMaps(a, b);
  if (a instanceof CelOpaque) return a.equals(b);
  if (isError(a)) return a;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameBytes(a, b);
  if (a instanceof CelOptional) return b instanceof CelOptional && sameOptionals(a, b);
  if (a instanceof CelObject) return b instanceof CelObject && sameObjects(a, b);
  return sameInstants(a, b);
}

function sameInstants(a: CelData, b: CelValue): boolean {
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTimestamp)
    return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  return a instanceof CelTypeValue && b instanceof CelTypeValue && a.name === b.name;
}

/** Whether two values are equal for sure. */
export const isEqual = (a: CelValue, b: CelValue): boolean => areEqual(a, b) === true;

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

function sameLists(a: CelList, b: CelValue): boolean {
  if (!(b instanceof CelList) || a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (areEqual(a.at(i), b.at(i)) === false) return false;
  return true;
}

function sameMaps(a: CelMap, b: CelValue): boolean {
  if (!(b instanceof CelMap) || a.size !== b.size) return false;
  return a.keys().every((key) => {
    const other = b.find(key);
    return other !== undefined && areEqual(a.find(key) ?? null, other) !== false;
  });
}

function sameOptionals({ value: a }: CelOptional, { value: b }: CelOptional): boolean | CelError {
  return a === undefined || b === undefined ? a === b : areEqual(a, b);
}

function sameObjects(a: CelObject, b: CelObject): boolean {
  if (a.typeName !== b.typeName || a.fields.size !== b.fields.size) return false;
  return [...a.fields].every(([name, value]) => {
    const other = b.fields.get(name);
    return other !== undefined && isEqual(value, other);
  });
}
