import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  optionalNone,
} from "../values/cel-value.ts";
import { ArrayList, elementsOf } from "../values/list.ts";
import { showValue } from "../values/show-value.ts";
import { all, type Implementations, one } from "./implementation.ts";

/** The functions on values that may be missing. */
export const optionalFunctions: Implementations = {
  optional_of: one((value) => new CelOptional(value)),
  optional_ofNonZeroValue: one((value) => (isZero(value) ? optionalNone : new CelOptional(value))),
  optional_none: all(() => optionalNone),
  optional_value: one(({ value }: CelOptional) =>
    value === undefined ? new CelError("optional.none() dereference") : value,
  ),
  optional_hasValue: one(({ value }: CelOptional) => value !== undefined),
  list_first: one((list: CelList) =>
    list.size === 0 ? optionalNone : new CelOptional(list.at(0)),
  ),
  list_last: one((list: CelList) =>
    list.size === 0 ? optionalNone : new CelOptional(list.at(list.size - 1)),
  ),
  optional_unwrap: one(unwrap),
  optional_unwrapOpt: one(unwrap),
};

function unwrap(list: CelList): CelValue {
  const values: CelValue[] = [];
  for (const element of elementsOf(list)) {
    if (!(element instanceof CelOptional))
      return new CelError(`value ${showValue(element)} is not optional`);
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}

/** Whether a value is what its type begins with. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelTimestamp) return value.seconds === -62135596800n && value.nanos === 0;
  return (value instanceof CelList || value instanceof CelMap) && value.size === 0;
}
