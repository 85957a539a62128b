import type { ListShape, MapShape, Shape } from "../shape.ts";
import { draftSet, emptySet, type FieldSet, type FieldSetDraft } from "./field-set.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { formOf, isMap, type JsonMap, shapeOfMember, stepsOf } from "./typed.ts";

/** Every leaf and item that a value mentions: what a manager owns who applies it. */
export const fieldSetOf = (shape: Shape, value: unknown): FieldSet =>
  visit(shape, value).below ?? emptySet;

/** What a value owns: itself, or what is below it; neither where it says nothing. */
interface Owned {
  readonly isLeaf: boolean;
  readonly below: FieldSetDraft | undefined;
}
const leaf: Owned = { isLeaf: true, below: undefined };
const nothing: Owned = { isLeaf: false, below: undefined };

function visit(shape: Shape, value: unknown): Owned {
  const { map, list } = shape;
  switch (formOf(shape, value)) {
    case "map":
      if (map?.isAtomic) return leaf;
      return map && isMap(value) ? visitMembers(map, value) : nothing;
    case "list":
      if (list?.kind === "atomic") return leaf;
      return list && Array.isArray(value) ? visitItems(list, value) : nothing;
    case "scalar":
      return leaf;
    default:
      return nothing;
  }
}

/** Members that are no fields of a struct are there because somebody put them there: they count. */
function visitMembers(map: MapShape, value: JsonMap): Owned {
  let below: FieldSetDraft | undefined;
  for (const name in value) {
    const member = value[name];
    const inner = shapeOfMember(map, name);
    const owned = inner ? visit(inner, member) : nothing;
    const isMember = owned.isLeaf || !map.fields.has(name) || isHollow(member);
    below = noted(below, fieldElement(name), { isLeaf: isMember, below: owned.below });
  }
  return { isLeaf: false, below };
}

/** Items that stand there twice are owned as one. */
function visitItems(list: ListShape, items: readonly unknown[]): Owned {
  const steps = stepsOf(list, items);
  const count = new Map<PathElement, number>();
  for (const step of steps) count.set(step, (count.get(step) ?? 0) + 1);
  let below: FieldSetDraft | undefined;
  for (const [index, step] of steps.entries()) {
    const owned = count.get(step) === 1 ? visit(list.items, items[index]) : nothing;
    below = noted(below, step, { isLeaf: true, below: owned.below });
  }
  return { isLeaf: false, below };
}

function noted(
  set: FieldSetDraft | undefined,
  element: PathElement,
  { isLeaf, below }: Owned,
): FieldSetDraft | undefined {
  if (!isLeaf && !below) return set;
  const node = set ?? draftSet();
  if (isLeaf) node.members.add(element);
  if (below) node.children.set(element, below);
  return node;
}

function isHollow(value: unknown): boolean {
  if (value === null) return true;
  if (!isMap(value)) return false;
  for (const _ in value) return false;
  return true;
}
