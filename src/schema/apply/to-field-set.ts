import { isMap, type ReadonlyJsonMap as JsonMap } from "../json/json-value.ts";
import type { ListShape, MapShape, Shape } from "../language/shape.ts";
import { draftSet, emptySet, type FieldSet, type FieldSetDraft, putChild } from "./field-set.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { formOf, stepsOf } from "./typed.ts";

/** Every leaf and item that a value mentions: what a manager owns who applies it. */
export const fieldSetOf = (shape: Shape, value: unknown): FieldSet =>
  visit(shape, value, false).below ?? emptySet;

/** All of a value that has come or gone: also the maps and lists that its leaves and items are in. */
export const wholeSetOf = (shape: Shape, value: unknown): FieldSetDraft | undefined =>
  visit(shape, value, true).below;

/** What a value owns: itself, or what is below it; neither where it says nothing. */
interface Owned {
  readonly isLeaf: boolean;
  readonly below: FieldSetDraft | undefined;
}
const leaf: Owned = { isLeaf: true, below: undefined };
const nothing: Owned = { isLeaf: false, below: undefined };

function visit(shape: Shape, value: unknown, isWhole: boolean): Owned {
  const { map, list } = shape;
  switch (formOf(shape, value)) {
    case "map":
      if (map?.isAtomic) return leaf;
      return map && isMap(value) ? visitMembers(map, value, isWhole) : nothing;
    case "list":
      if (list?.kind === "atomic") return leaf;
      return list && Array.isArray(value) ? visitItems(list, value, isWhole) : nothing;
    case "scalar":
      return leaf;
    default:
      return nothing;
  }
}

/**
 * Members that are no fields of a struct are there because somebody put them there: they count.
 * Fields come in the order in which they will be written, so that nobody has to sort them.
 */
function visitMembers(map: MapShape, value: JsonMap, isWhole: boolean): Owned {
  let below: FieldSetDraft | undefined;
  let count = 0;
  for (const [name, field] of map.fields) {
    if (!Object.hasOwn(value, name)) continue;
    count++;
    const owned = visit(field.shape, value[name], isWhole);
    const isMember = isWhole || owned.isLeaf || isHollow(value[name]);
    below = noted(below, fieldElement(name), isMember, owned.below);
  }
  if (map.items && (count === 0 || count < Object.keys(value).length))
    for (const name in value)
      if (!map.fields.has(name))
        below = noted(
          below,
          fieldElement(name),
          true,
          visit(map.items, value[name], isWhole).below,
        );
  return below ? { isLeaf: false, below } : nothing;
}

/** Items that stand there twice are owned as one. */
function visitItems(list: ListShape, items: readonly unknown[], isWhole: boolean): Owned {
  const steps = stepsOf(list, items);
  const isUnique = new Set(steps).size === steps.length;
  let below: FieldSetDraft | undefined;
  for (const [index, step] of steps.entries()) {
    const isTwice = !isUnique && steps.indexOf(step) !== steps.lastIndexOf(step);
    const owned = isTwice ? nothing : visit(list.items, items[index], isWhole);
    below = noted(below, step, true, owned.below);
  }
  return below ? { isLeaf: false, below } : nothing;
}

function noted(
  set: FieldSetDraft | undefined,
  element: PathElement,
  isMember: boolean,
  below: FieldSetDraft | undefined,
): FieldSetDraft | undefined {
  if (!isMember && !below) return set;
  const node = set ?? draftSet();
  if (isMember) node.members.add(element);
  if (below) putChild(node, element, below);
  return node;
}

function isHollow(value: unknown): boolean {
  if (value === null) return true;
  if (!isMap(value)) return false;
  for (const _ in value) return false;
  return true;
}
