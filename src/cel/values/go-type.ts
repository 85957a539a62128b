import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "./cel-value.ts";

/** The name that Go has for the type of a value; some messages have it. */
export function goTypeOf(value: CelValue): string {
  switch (typeof value) {
    case "string":
      return "types.String";
    case "bigint":
      return "types.Int";
    case "boolean":
      return "types.Bool";
    case "number":
      return "types.Double";
  }
  if (value === null) return "types.Null";
  if (value instanceof Uint8Array) return "types.Bytes";
  if (value instanceof CelUint) return "types.Uint";
  if (value instanceof CelDuration) return "types.Duration";
  if (value instanceof CelTimestamp) return "types.Timestamp";
  if (value instanceof CelOptional) return "*types.Optional";
  if (value instanceof CelTypeValue) return "*types.Type";
  if (value instanceof CelList || value instanceof CelMap) return value.goType;
  if (value instanceof CelError) return "*types.Err";
  return value instanceof CelOpaque ? value.goType : "*types.protoObj";
}
