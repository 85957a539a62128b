import { deducedShape, type MapShape, type Shape } from "../language/shape.ts";
import { differenceBelow, draftSet, type FieldSet, insert, union } from "./field-set.ts";
import { isShared } from "./fields-v1.ts";
import { fieldOf, type PathElement } from "./path-element.ts";

/**
 * A set that was written under an older schema, as the present one would have it: what has become a
 * whole is owned as a whole. The other way round nothing changes until the next write.
 */
export function reconciled(shape: Shape, set: FieldSet): FieldSet {
  // Objects made from one template have the same sets, and most are as they should be.
  if (unchanged.get(set) === shape) return set;
  const result = reconcile(shape, set);
  if (result === set && isShared(set)) unchanged.set(set, shape);
  return result;
}

/** Sets that a schema leaves as they are. */
const unchanged = new WeakMap<FieldSet, Shape>();

function reconcile(shape: Shape, set: FieldSet): FieldSet {
  const wholes = draftSet();
  let changed = false;
  const path: PathElement[] = [];

  const visit = (inner: Shape, node: FieldSet | undefined, isWhole: boolean): void => {
    const { map, scalar, list } = inner;
    if (map) visitMap(map, node, isWhole);
    else if (list && scalar === undefined) {
      if (list.kind !== "atomic" || isWhole) members(node, () => list.items);
      else collapse();
    }
  };
  const visitMap = (map: MapShape, node: FieldSet | undefined, isWhole: boolean): void => {
    if (isFree(map)) return;
    if (!map.isAtomic || isWhole) members(node, (element) => shapeAt(map, element));
    else if (node && node.members.size + node.children.size > 0) collapse();
  };
  const collapse = () => {
    insert(wholes, path);
    changed = true;
  };
  const members = (
    node: FieldSet | undefined,
    shapeOfStep: (element: PathElement) => Shape | undefined,
  ): void => {
    if (!node) return;
    const step = (element: PathElement, below: FieldSet | undefined) => {
      const inner = shapeOfStep(element);
      if (!inner) return;
      path.push(element);
      visit(inner, below, below === undefined);
      path.pop();
    };
    for (const [element, below] of node.children) step(element, below);
    for (const element of node.members) if (!node.children.has(element)) step(element, undefined);
  };

  visit(shape, set, false);
  return changed ? union(differenceBelow(set, wholes), wholes) : set;
}

function shapeAt({ fields, items }: MapShape, element: PathElement): Shape | undefined {
  const name = fieldOf(element);
  return (name === undefined ? undefined : fields.get(name)?.shape) ?? items;
}

/** Whether a map may hold anything, of which no schema says how it is owned. */
const isFree = ({ fields, items }: MapShape): boolean =>
  fields.size === 0 && (items === deducedShape || items?.map?.items === deducedShape);
