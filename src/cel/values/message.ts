import { goType } from "../../schema/values/go-print.ts";
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelTimestamp,
  CelUint,
  type CelValue,
} from "./cel-value.ts";
import { ArrayList } from "./list.ts";
import { EntryMap } from "./map.ts";
import { nativeValue } from "./native-value.ts";

/** The value of a message that an expression makes; the well-known ones stand for values. */
export function newMessage(typeName: string, fields: ReadonlyMap<string, CelValue>): CelValue {
  const make = Object.hasOwn(wellKnown, typeName) ? wellKnown[typeName] : undefined;
  return make ? make(fields) : new CelObject(typeName, fields);
}

/** Nothing can be read where nothing says what it is. */
const ofNoType = new CelError("unsupported conversion to ref.Val: (*anypb.Any)");

type Make = (fields: ReadonlyMap<string, CelValue>) => CelValue;

const wrapped =
  (zero: CelValue): Make =>
  (fields) =>
    fields.get("value") ?? zero;

const integer32: Make = (fields) => {
  const value = fields.get("value") ?? 0n;
  return typeof value === "bigint" && value !== BigInt.asIntN(32, value)
    ? new CelError("integer overflow")
    : value;
};

const unsigned32: Make = (fields) => {
  const value = fields.get("value") ?? new CelUint(0n);
  return value instanceof CelUint && value.value >= 2n ** 32n
    ? new CelError("unsigned integer overflow")
    : value;
};

const integerField = (fields: ReadonlyMap<string, CelValue>, name: string): bigint => {
  const value = fields.get(name);
  return typeof value === "bigint" ? value : 0n;
};

/** An operation of a JSON patch, which has texts beside its value. */
const operation: Make = (fields) => {
  for (const name of ["op", "path", "from"]) {
    const value = fields.get(name) ?? "";
    if (typeof value !== "string")
      return new CelError(
        `unexpected type ${goType(nativeValue(value))} for JSONPatchType '${name}' field`,
      );
  }
  return new CelObject("JSONPatch", fields);
};

const wellKnown: Readonly<Record<string, Make>> = {
  "google.protobuf.Any": (fields) =>
    fields.size === 0 ? ofNoType : new CelObject("google.protobuf.Any", fields),
  JSONPatch: operation,
  "google.protobuf.BoolValue": wrapped(false),
  "google.protobuf.BytesValue": wrapped(new Uint8Array()),
  "google.protobuf.DoubleValue": wrapped(0),
  "google.protobuf.FloatValue": (fields) => {
    const value = fields.get("value") ?? 0;
    return typeof value === "number" ? Math.fround(value) : value;
  },
  "google.protobuf.Int64Value": wrapped(0n),
  "google.protobuf.Int32Value": integer32,
  "google.protobuf.UInt64Value": wrapped(new CelUint(0n)),
  "google.protobuf.UInt32Value": unsigned32,
  "google.protobuf.StringValue": wrapped(""),
  "google.protobuf.Duration": (fields) =>
    new CelDuration(
      integerField(fields, "seconds") * 1_000_000_000n + integerField(fields, "nanos"),
    ),
  "google.protobuf.Timestamp": (fields) =>
    new CelTimestamp(integerField(fields, "seconds"), Number(integerField(fields, "nanos"))),
  "google.protobuf.ListValue": (fields) => {
    const values = fields.get("values");
    return values instanceof CelList ? values : new ArrayList([]);
  },
  "google.protobuf.Struct": (fields) => {
    const values = fields.get("fields");
    return values instanceof CelMap ? values : new EntryMap();
  },
  "google.protobuf.Value": (fields) => {
    for (const value of fields.values()) return value;
    return null;
  },
};
