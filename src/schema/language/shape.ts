import { presetOf } from "../openapi/openapi.ts";
import type { Field, ListKind, PatchStrategy } from "./field.ts";
import type { Struct } from "./struct.ts";
import { structOf, type Type, type TypeCode } from "./type.ts";

/**
 * What patches and server-side apply know of a type: which forms a value may have, and how each
 * merges. A form that is absent is not allowed; most types have one, what is free has all three.
 */
export interface Shape {
  readonly scalar?: Scalar | undefined;
  readonly list?: ListShape | undefined;
  readonly map?: MapShape | undefined;
}

export type Scalar = "string" | "numeric" | "boolean" | "untyped";

export interface ListShape {
  /** Whether it is replaced as a whole, or has items that are unique by value or by their keys. */
  readonly kind: ListKind;
  /** Of a list of the kind `map`: the fields that identify an item. */
  readonly keys: readonly string[];
  readonly items: Shape;
}

export interface MapShape {
  /** Owned and replaced as a whole. */
  readonly isAtomic: boolean;
  /** In the order of their names. */
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** The shape of members that are no fields; without it there may be none. */
  readonly items: Shape | undefined;
  /** The name of the struct that it is in Go, which errors of strategic merge patches show. */
  readonly goName?: string | undefined;
}

export interface FieldShape {
  readonly shape: Shape;
  /** The default that the schema declares; undefined where it has none. */
  readonly preset?: unknown;
  readonly patchStrategy?: PatchStrategy | undefined;
  readonly patchMergeKey?: string | undefined;
  /** Whether Go holds it behind a pointer. */
  readonly isPointer?: boolean | undefined;
}

const none: ReadonlyMap<string, FieldShape> = new Map();

/** A list of anything, replaced as a whole. */
const wholeList: ListShape = {
  kind: "atomic",
  keys: [],
  get items() {
    return untypedShape;
  },
};

/** A map of anything, owned and replaced as a whole. */
const untypedMap: MapShape = {
  isAtomic: true,
  fields: none,
  get items() {
    return untypedShape;
  },
};

/** Any value: scalars, lists and maps, each a whole. */
export const untypedShape: Shape = { scalar: "untyped", list: wholeList, map: untypedMap };

/** A map of anything, member by member. */
const freeMap: MapShape = {
  isAtomic: false,
  fields: none,
  get items() {
    return deducedShape;
  },
};

/** Any value, whose form says how it merges: maps by their members, lists as a whole. */
export const deducedShape: Shape = { scalar: "untyped", list: wholeList, map: freeMap };

const shapes = new WeakMap<Struct, Shape>();

/** The shape of a declared struct. */
export function shapeOf(struct: Struct): Shape {
  let shape = shapes.get(struct);
  if (!shape) {
    shape = { map: mapOfStruct(struct) };
    shapes.set(struct, shape);
  }
  return shape;
}

function mapOfStruct(struct: Struct): MapShape {
  const entries = Object.entries(struct.fields).sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = new Map(
    entries.map(([name, field]) => [name, fieldShape(field, `${struct.name}.${name}`)] as const),
  );
  return {
    isAtomic: struct.isAtomic,
    fields,
    items: entries.length === 0 ? deducedShape : undefined,
    goName: struct.shortName,
  };
}

/** Structs may name each other: the shape of a field is made when it is asked for. */
function fieldShape(field: Field, path: string): FieldShape {
  let shape: Shape | undefined;
  const { type, patchStrategy, patchMergeKey, zero } = field;
  return {
    get shape() {
      shape ??= fieldTypeShape(field);
      return shape;
    },
    preset: presetOf(field, path),
    patchStrategy,
    patchMergeKey,
    isPointer: type.code !== "raw" && (zero === "pointer" || zero === "null"),
  };
}

/** A field can say otherwise than the type that it has. */
function fieldTypeShape(field: Field): Shape {
  const { type, isAtomic, isGranular } = field;
  if (type.code === "list" && type.of)
    return { list: { ...merging(field), items: ofType(type.of) } };
  const shape = ofType(type);
  if (!shape.map || (!isAtomic && !isGranular)) return shape;
  return { ...shape, map: { ...shape.map, isAtomic: !isGranular } };
}

/** How the items of a list merge; strategic merge patches' facts count where there are no others. */
function merging({ listKind, listKeys, patchStrategy, patchMergeKey }: Field) {
  if (listKind) return { kind: listKind, keys: listKind === "map" ? (listKeys ?? []) : [] };
  if (!patchStrategy?.startsWith("merge")) return { kind: "atomic" as const, keys: [] };
  if (patchMergeKey === undefined) return { kind: "set" as const, keys: [] };
  return { kind: "map" as const, keys: [patchMergeKey] };
}

function ofType(type: Type): Shape {
  const { code, of } = type;
  if (code === "list" && of) return { list: { kind: "atomic", keys: [], items: ofType(of) } };
  if (code === "map" && of) return { map: { isAtomic: false, fields: none, items: ofType(of) } };
  if (code === "struct") {
    const struct = structOf(type);
    if (struct) return shapeOf(struct);
  }
  return leaves[code] ?? deducedShape;
}

const leaves: Partial<Record<TypeCode, Shape>> = {
  string: { scalar: "string" },
  bool: { scalar: "boolean" },
  int32: { scalar: "numeric" },
  int64: { scalar: "numeric" },
  double: { scalar: "numeric" },
  bytes: { scalar: "string" },
  duration: { scalar: "string" },
  time: { scalar: "untyped" },
  microTime: { scalar: "untyped" },
  quantity: { scalar: "untyped" },
  raw: { ...untypedShape, map: { ...untypedMap, goName: "RawExtension" } },
  fieldsV1: { map: freeMap },
};
