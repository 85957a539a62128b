import type { Field } from "../language/field.ts";
import type { Struct } from "../language/struct.ts";
import { listType, type Type } from "../language/type.ts";

/** A field with its name in JSON. */
export type Entry = readonly [name: string, field: Field];

/** The fields that protobuf has; kind and apiVersion stand around the message. */
export const numbered = (struct: Struct): readonly Entry[] =>
  Object.entries(struct.fields).filter(([, { tag }]) => tag > 0);

/** Fields that JSON has inline, by the number of the message at a depth that holds them in protobuf. */
export function nestedFields(entries: readonly Entry[], depth: number): Map<number, Entry[]> {
  const nested = new Map<number, Entry[]>();
  for (const entry of entries) {
    const tag = entry[1].under[depth];
    if (tag !== undefined) nested.set(tag, [...(nested.get(tag) ?? []), entry]);
  }
  return nested;
}

/** A list that protobuf wraps in a message, without that message. */
export const unwrapped = ({ of }: Type): Type => listType(of as Type);
