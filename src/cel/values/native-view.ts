import { AuthorizationValue } from "./authorizer-value.ts";
import {
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTypeValue,
  type CelValue,
  noSuchOverload,
} from "./cel-value.ts";

/** A list or map that a schema describes, and that can be seen without it. */
interface Described {
  /** The value as it is seen without its schema. */
  withoutSchema?(): CelValue;
}

/** A value as upstream sees it after it was Go's own: what is in an optional loses what CEL knows of it. */
export function nativeView(value: CelValue): CelValue {
  if (value instanceof CelList || value instanceof CelMap) {
    return (value as Described).withoutSchema?.() ?? value;
  }
  if (value instanceof CelOptional)
    return value.value === undefined ? null : nativeView(value.value);
  if (value instanceof CelTypeValue) return value.name;
  return value instanceof CelOpaque ? nativeOpaque(value) : value;
}

function nativeOpaque(value: CelOpaque): CelValue {
  if (value instanceof AuthorizationValue) return noSuchOverload;
  const { nativeType } = value;
  if (nativeType === undefined) return value;
  return new CelError(`unsupported conversion to ref.Val: (${nativeType})${value}`);
}
