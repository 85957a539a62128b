import {
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelUint,
  type CelValue,
  isError,
  noSuchOverload,
} from "../values/cel-value.ts";
import { goTypeOf } from "../values/go-type.ts";
import { showValue } from "../values/show-value.ts";

/** A part of a value; nothing if it does not have that part. */
export type Qualified = CelValue | undefined;

/** Reads a part of a value; an error if it does not have that part. */
export function readMember(value: CelValue, key: CelValue): CelValue {
  const found = findMember(value, key);
  if (found !== undefined) return found;
  return new CelError(
    value instanceof CelList
      ? `index out of bounds: ${showValue(key)}`
      : `no such key: ${showValue(key)}`,
  );
}

/** Reads a part of a value that may not have it. */
export function findMember(
  value: CelValue,
  key: CelValue,
  { presenceOnly = false }: { readonly presenceOnly?: boolean } = {},
): Qualified {
  if (isError(value)) return value;
  if (!isKey(key)) {
    return isError(key) ? key : new CelError(`invalid qualifier type: ${goTypeOf(key)}`);
  }
  if (value instanceof CelMap) return value.find(key);
  if (value instanceof CelList) return findElement(value, key);
  if (value instanceof CelObject) return findField(value, key, presenceOnly);
  return undefined;
}

/** Whether a part of a value can have such a key. */
export const isKey = (key: CelValue): boolean =>
  (typeof key !== "object" && key !== undefined) || key instanceof CelUint;

function findElement(list: CelList, key: CelValue): Qualified {
  const index = indexOf(key);
  if (isError(index)) return index;
  if (index < 0n || index >= BigInt(list.size)) return undefined;
  return list.at(Number(index));
}

/** The whole number that a key is. */
function indexOf(key: CelValue): bigint | CelError {
  if (typeof key === "bigint") return key;
  if (typeof key === "number") {
    return Number.isInteger(key) && Math.abs(key) < 2 ** 63
      ? BigInt(key)
      : new CelError(`unsupported index value ${showValue(key)} in list`);
  }
  if (key instanceof CelUint) {
    return key.value < 2n ** 63n
      ? key.value
      : new CelError(`unsupported index value ${showValue(key)} in list`);
  }
  const type = typeof key === "string" ? "string" : "bool";
  return new CelError(`unsupported index type '${type}' in list`);
}

function findField(object: CelObject, key: CelValue, presenceOnly: boolean): Qualified {
  if (typeof key !== "string") return noSuchOverload;
  const found = object.fields.get(key);
  if (found !== undefined || presenceOnly) return found;
  return new CelError(`no such key: ${key}`);
}
