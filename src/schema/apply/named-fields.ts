import type { Shape } from "../language/shape.ts";
import type { FieldSet } from "./field-set.ts";
import { fieldOf, isKey, type PathElement } from "./path-element.ts";

/**
 * The same set, with the fields of structs in it below which there is something: `.spec` where
 * `.spec.replicas` is. Members of maps and items of lists are in it of their own accord.
 */
export function withNamedFields(shape: Shape | undefined, set: FieldSet): FieldSet {
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const name = fieldOf(element);
    const field = name === undefined ? undefined : shape?.map?.fields.get(name);
    if (field) members.add(element);
    children.set(element, withNamedFields(field?.shape ?? itemsAt(shape, element), child));
  }
  return { members, children };
}

function itemsAt(shape: Shape | undefined, element: PathElement): Shape | undefined {
  if (fieldOf(element) !== undefined) return shape?.map?.items;
  return isKey(element) ? shape?.list?.items : undefined;
}
