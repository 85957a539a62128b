import {
  bool,
  int32,
  list,
  listOf,
  mapOf,
  message,
  raw,
  string,
  stringMap,
  strings,
  value,
} from "../language/field.ts";
import { shapeOf } from "../language/shape.ts";
import { struct } from "../language/struct.ts";
import { listType, stringType } from "../language/type.ts";

const Hole = struct("test.v1.Hole", {
  port: int32(1).always(),
  protocol: string(2),
  name: string(3),
});

const Part = struct("test.v1.Part", {
  name: string(1).always(),
  size: int32(2),
  args: strings(3),
  tags: strings(4).merge(),
  holes: list(5, Hole).merge("port"),
  labels: stringMap(6),
});

const Source = struct("test.v1.Source", {
  file: string(1),
  url: string(2),
  mode: int32(3).pointer(),
});
const Mount = struct("test.v1.Mount", {
  name: string(1).always(),
  file: string(2),
  url: string(3),
  hole: message(4, Hole),
});

const Spec = struct("test.v1.GadgetSpec", {
  text: string(1),
  on: bool(2),
  count: int32(3).pointer(),
  parts: list(4, Part).merge("name"),
  words: strings(5).merge(),
  lines: strings(6),
  holes: list(7, Hole),
  source: value(8, Source).patch("retainKeys"),
  mounts: list(9, Mount).patch("merge,retainKeys", "name"),
  whole: message(10, Source).patch("replace"),
  labels: stringMap(11),
  extra: mapOf(12, listType(stringType)),
  free: raw(13),
  grid: listOf(14, listType(stringType)).merge(),
  pointer: message(15, Source),
});

/** A struct with a field for every way in which strategic merge patches treat one. */
export const Gadget = struct("test.v1.Gadget", { spec: value(1, Spec), words: strings(2).merge() });

export const gadget = shapeOf(Gadget);
