import type { Field } from "../../../schema/language/field.ts";
import { zeroOf } from "../../../schema/language/normalise.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import { structOf, type Type } from "../../../schema/language/type.ts";
import { parseQuantity } from "../../../schema/values/quantity.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import { goName } from "./internal-form.ts";

/**
 * A value as upstream writes it out to hash it: with the types and all fields of Go's structs, absent
 * ones as `<nil>` or zero. `{name: "a"}` is `(v1.PodOS){Name:(v1.OSName)a}`.
 */
export const goDump = <T>(struct: Struct<T>, value: T): string =>
  `(${struct.goName})${dumpStruct(struct as Struct, value as Members)}`;

type Members = Readonly<Record<string, unknown>>;

const dumpStruct = (struct: Struct, value: Members): string =>
  dumpFields(struct.shortName, Object.entries(struct.fields), { value, depth: 0 });

interface Place {
  readonly value: Members;
  /** In how many structs that Go embeds these fields are. */
  readonly depth: number;
}

function dumpFields(
  struct: string,
  fields: readonly (readonly [string, Field])[],
  { value, depth }: Place,
): string {
  const groups = new Map<string, (readonly [string, Field])[]>();
  for (const one of fields) {
    const key = one[1].embeddedIn[depth] ?? "";
    // A field that is not embedded is a group of its own.
    groups.set(key || `.${one[0]}`, [...(groups.get(key) ?? []), one]);
  }
  const parts = Array.from(groups, ([key, members]) => {
    if (!key.startsWith("."))
      return `${key}:(v1.${key})${dumpFields(key, members, { value, depth: depth + 1 })}`;
    const [name, field] = members[0] as readonly [string, Field];
    return `${fieldName(name, struct)}:${dumpField(name, field, value)}`;
  });
  return `{${parts.join(" ")}}`;
}

/** Go's name of a field in the API's own version. */
function fieldName(name: string, struct: string): string {
  if (name === "metadata") return "ObjectMeta";
  return struct === "PodSpec" && name === "serviceAccount"
    ? "DeprecatedServiceAccount"
    : goName(name, struct);
}

function dumpField(name: string, { type, zero }: Field, members: Members): string {
  const value = members[name];
  const isPointer = (zero === "pointer" || zero === "null") && !type.of;
  const head = `(${isPointer ? "*" : ""}${type.goType})`;
  if (value !== undefined && value !== null) return head + dumpValue(type, value);
  if (isPointer || type.of) return `${head}<nil>`;
  if (type.code === "struct") return head + dumpStruct(structOf(type) as Struct, {});
  return head + (type.code === "time" ? noTime : dumpValue(type, zeroOf(type)()));
}

const noTime = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";

function dumpValue(type: Type, value: unknown): string {
  switch (type.code) {
    case "struct":
      return dumpStruct(structOf(type) as Struct, value as Members);
    case "list": {
      const items = value as readonly unknown[];
      // What is empty is not sent to whoever hashes.
      if (items.length === 0) return "<nil>";
      return `[${items.map((item) => dumpValue(type.of as Type, item)).join(" ")}]`;
    }
    case "map": {
      const map = value as Members;
      const entries = sortedKeys(map).map(
        (key) => `${key}:${dumpValue(type.of as Type, map[key])}`,
      );
      return entries.length === 0 ? "<nil>" : `map[${entries.join(" ")}]`;
    }
    case "quantity":
      return dumpQuantity(String(value));
    case "intOrString":
      return typeof value === "number"
        ? `{Type:(intstr.Type)0 IntVal:(int32)${value} StrVal:(string)}`
        : `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`;
    default:
      return String(value);
  }
}

/** A quantity as Go holds it: with its text, where it would be written so again. */
function dumpQuantity(given: string): string {
  const { mantissa, scale, format, text = "" } = parseQuantity(given);
  const amount = `{value:(int64)${mantissa} scale:(resource.Scale)${scale}}`;
  return `{i:(resource.int64Amount)${amount} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${text} Format:(resource.Format)${format}}`;
}
