import { CelList, CelMap, type CelValue } from "./cel-value.ts";

/** A list or map that a schema describes, and that can be seen without it. */
interface Described {
  /** The value as it is seen without its schema. */
  withoutSchema?(): CelValue;
}

/** A value as it is seen without its schema: what is in an optional loses it. */
export function nativeView(value: CelValue): CelValue {
  if (!(value instanceof CelList || value instanceof CelMap)) return value;
  return (value as Described).withoutSchema?.() ?? value;
}
