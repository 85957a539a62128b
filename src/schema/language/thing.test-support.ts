import {
  bool,
  bytes,
  double,
  duration,
  fieldsV1,
  inline,
  int32,
  int64,
  intOrString,
  list,
  listOf,
  mapOf,
  message,
  microTime,
  quantity,
  raw,
  string,
  stringMap,
  strings,
  time,
  value,
} from "./field.ts";
import { type Struct, struct } from "./struct.ts";
import { int64Type, quantityType, structType } from "./type.ts";

/** A part of a thing. */
export const Part = struct("test.v1.Part", {
  name: string(1).always(),
  size: int32(2),
  labels: stringMap(3),
});

const Source = struct("test.v1.Source", { path: string(1), depth: int32(2).pointer() });

/** A struct with a field of every type, and of every way to write zero. */
export const Thing = struct("test.v1.Thing", {
  kind: string(0),
  text: string(1),
  on: bool(2),
  small: int32(3),
  large: int64(4),
  ratio: double(5),
  data: bytes(6),
  at: time(7),
  exactly: microTime(8),
  wait: duration(9),
  memory: quantity(10),
  port: intOrString(11),
  any: raw(12),
  fields: fieldsV1(13),
  part: message(14, Part),
  parts: list(15, Part),
  words: strings(16),
  counts: listOf(17, int64Type),
  limits: mapOf(18, quantityType),
  byName: mapOf(19, structType(Part)),
  ...inline(20, Source),
  held: value(21, Part),
  count: int32(22).pointer(),
  title: string(23).always(),
  none: string(24).nullable(),
  flags: stringMap(25),
});

/** A struct that holds itself. */
export const Tree: Struct = struct("test.v1.Tree", {
  name: string(1),
  left: message(2, () => Tree),
  others: listOf(
    3,
    structType(() => Tree),
  ),
});

/** What a thing is when nothing of it is given. */
export const emptyThing = { held: { name: "" }, title: "", none: null };
