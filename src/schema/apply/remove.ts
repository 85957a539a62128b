import { isMap, type ReadonlyJsonMap as JsonMap } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import type { ListShape, MapShape, Shape } from "../language/shape.ts";
import { type FieldSet, isEmpty } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";
import { formOf, shapeOfMember, stepsOf } from "./typed.ts";

/** A value without some of its fields and items; what has nothing left is null. */
export function without(shape: Shape, value: unknown, removed: FieldSet): unknown {
  const { map, list } = shape;
  switch (formOf(shape, value)) {
    case "map":
      return map && isMap(value) && !map.isAtomic ? members(map, value, removed) : null;
    case "list":
      return list && Array.isArray(value) && list.kind !== "atomic"
        ? items(list, value, removed)
        : null;
    default:
      return value;
  }
}

function members(map: MapShape, value: JsonMap, removed: FieldSet): unknown {
  const rest: Record<string, unknown> = {};
  let isHollow = true;
  for (const name in value) {
    const element = fieldElement(name);
    if (removed.members.has(element)) continue;
    isHollow = false;
    const below = removed.children.get(element);
    const inner = shapeOfMember(map, name);
    const touched = below && inner && !isEmpty(below);
    setMember(rest, name, touched ? without(inner, value[name], below) : value[name]);
  }
  return isHollow ? null : rest;
}

function items(list: ListShape, values: readonly unknown[], removed: FieldSet): unknown {
  const rest: unknown[] = [];
  for (const [index, element] of stepsOf(list, values).entries()) {
    if (removed.members.has(element)) continue;
    const below = removed.children.get(element);
    const item = values[index];
    rest.push(below && !isEmpty(below) ? without(list.items, item, below) : item);
  }
  return rest.length === 0 ? null : rest;
}
