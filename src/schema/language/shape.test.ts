import { describe, expect, test } from "vitest";
import {
  bytes,
  intOrString,
  list,
  mapOf,
  message,
  quantity,
  raw,
  string,
  stringMap,
  strings,
  time,
  value,
} from "./field.ts";
import { deducedShape, type Shape, shapeOf, untypedShape } from "./shape.ts";
import { type Struct, struct } from "./struct.ts";
import { stringType } from "./type.ts";

const Reference = struct("test.v1.Reference", { name: string(1) }).atomic();
const Port = struct("test.v1.Port", { port: string(1).always(), protocol: string(2) });
const Empty = struct("test.v1.Empty", {});
const Node: Struct = struct("test.v1.Node", { left: message(1, () => Node) });

const Thing = struct("test.v1.Thing", {
  name: string(1),
  data: bytes(2),
  at: time(3),
  size: quantity(4),
  edge: intOrString(5),
  free: raw(6),
  labels: stringMap(7),
  whole: mapOf(8, stringType).atomic(),
  args: strings(9),
  finalizers: strings(10).set(),
  merged: strings(11).merge(),
  ports: list(12, Port).keyedBy("port"),
  mounts: list(13, Port).merge("port"),
  byTwo: list(14, Port).mapKeys("port", "protocol"),
  reference: message(15, Reference),
  granular: value(16, Reference).granular(),
  empty: message(17, Empty),
});

const field = (name: string): Shape => {
  const found = shapeOf(Thing).map?.fields.get(name);
  if (!found) throw new Error(`no field ${name}`);
  return found.shape;
};

describe("shapeOf", () => {
  test.each([
    ["name", { scalar: "string" }],
    ["data", { scalar: "string" }],
    ["at", { scalar: "untyped" }],
    ["size", { scalar: "untyped" }],
    ["edge", deducedShape],
    ["free", { ...untypedShape, map: { ...untypedShape.map, goName: "RawExtension" } }],
  ])("the forms that %s may have are those of its type", (name, shape) => {
    expect(field(name)).toEqual(shape);
  });

  test.each([
    ["args", "atomic", []],
    ["finalizers", "set", []],
    ["merged", "set", []],
    ["ports", "map", ["port"]],
    ["mounts", "map", ["port"]],
    ["byTwo", "map", ["port", "protocol"]],
  ])("the list %s merges as declared, or else as patches merge it", (name, kind, keys) => {
    expect(field(name).list).toMatchObject({ kind, keys });
  });

  test.each([
    ["labels", false],
    ["whole", true],
    ["reference", true],
    ["granular", false],
  ])("whether the map %s is a whole is said by the field before its type", (name, isAtomic) => {
    expect(field(name).map?.isAtomic).toBe(isAtomic);
  });

  test("a struct without fields may hold anything, one with fields nothing else", () => {
    expect(field("empty").map?.items).toBe(deducedShape);
    expect(field("reference").map?.items).toBe(undefined);
  });
  test("a struct may hold itself", () => {
    expect(shapeOf(Node).map?.fields.get("left")?.shape).toBe(shapeOf(Node));
  });
  test("a field that is always written has its zero value as preset", () => {
    const fields = field("ports").list?.items.map?.fields;
    expect(fields?.get("port")?.preset).toBe("");
    expect(fields?.get("protocol")?.preset).toBe(undefined);
  });
});
