import { isMap, type ReadonlyJsonMap as JsonMap, member, sameJson } from "../json-value.ts";
import type { ListShape, MapShape, Shape } from "../shape.ts";
import { sharedFields } from "../shared-fields.ts";
import { sortedKeys } from "../utf8-order.ts";
import { emptySet, type FieldSet } from "./field-set.ts";
import type { FieldsV1 } from "./fields-v1.ts";
import { fieldElement, type PathElement, sortElements } from "./path-element.ts";
import { formOf, stepsOf } from "./typed.ts";

/** An object that is made, what there was before it was, and the paths at and below which nobody owns. */
export interface Creation {
  readonly nothing: JsonMap;
  readonly next: JsonMap;
  readonly unowned: FieldSet;
}

/**
 * What whoever creates an object owns of it, as managedFields hold it: the same as `compare` finds
 * added or modified, without what is unowned, in one walk and without a set in between: as objects
 * made from one template have the same fields, their text is made, and looked up. Undefined where it
 * owns nothing; "unknown" where only `compare` can tell.
 */
export function createdFields(
  shape: Shape,
  { nothing, next, unowned }: Creation,
): FieldsV1 | undefined | "unknown" {
  try {
    const text = differing(shape, [nothing, next], unowned);
    return text === undefined ? undefined : (sharedFields(text) as FieldsV1);
  } catch (fault) {
    if (fault === unusual) return "unknown";
    throw fault;
  }
}

/** The JSON of a path that ends, and has none below. */
const leaf = "{}";

/** Thrown, without cost of a stack, where what there was before has more to it than zero values. */
const unusual = new Error("not as new objects are");

/** What is new in a value that there was before; what is the same is not owned. */
function differing(
  shape: Shape,
  [old, now]: readonly [unknown, unknown],
  unowned: FieldSet,
): string | undefined {
  if (old === now || now === undefined) return undefined;
  if (old === undefined) return whole(shape, now, unowned);
  const form = formOf(shape, now);
  if (form !== formOf(shape, old)) throw unusual;
  const { map, list } = shape;
  if (form === "map" && map && !map.isAtomic && !(isHollow(old) && isHollow(now)))
    return enclosed(members(map, mapOf(now), { was: mapOf(old), unowned }));
  if (form === "list" && list && list.kind !== "atomic" && !(isHollow(old) && isHollow(now))) {
    if (!isHollow(old)) throw unusual;
    return enclosed(items(list, Array.isArray(now) ? now : [], unowned));
  }
  return sameJson(old, now) ? undefined : leaf;
}

const enclosed = (below: string): string | undefined => (below === "" ? undefined : `{${below}}`);

/** All of a value that has come: itself, and the maps and lists that its leaves and items are in. */
function whole(shape: Shape, value: unknown, unowned: FieldSet): string {
  const { map, list } = shape;
  let below = "";
  switch (formOf(shape, value)) {
    case "map":
      if (map && !map.isAtomic && isMap(value)) below = members(map, value, { unowned });
      break;
    case "list":
      if (list && list.kind !== "atomic" && Array.isArray(value))
        below = items(list, value, unowned);
  }
  return below === "" ? leaf : `{".":{},${below}}`;
}

/** The members of a map that are owned, as members of JSON; `was` is what it was, unless it is all new. */
function members(
  map: MapShape,
  value: JsonMap,
  { was, unowned }: { readonly was?: JsonMap; readonly unowned: FieldSet },
): string {
  let text = "";
  for (const { name, element, label, shape } of stepsIn(map, value)) {
    if (unowned.members.has(element)) continue;
    const inner = unowned.children.get(element) ?? emptySet;
    const child = was
      ? differing(shape, [member(was, name), value[name]], inner)
      : whole(shape, value[name], inner);
    if (child !== undefined) text += text === "" ? label + child : `,${label}${child}`;
  }
  return text;
}

/** The same of the items of a list that is all new; those that stand there twice are owned as one. */
function items(list: ListShape, values: readonly unknown[], unowned: FieldSet): string {
  const steps = stepsOf(list, values);
  const sorted = sortElements(steps);
  const placeOf = sorted === steps ? undefined : placesOf(steps);
  let text = "";
  for (let i = 0; i < sorted.length; i++) {
    const step = sorted[i] as PathElement;
    if (unowned.members.has(step) || (i > 0 && sorted[i - 1] === step)) continue;
    const isTwice = sorted[i + 1] === step;
    const inner = unowned.children.get(step) ?? emptySet;
    const value = values[placeOf ? (placeOf.get(step) as number) : i];
    const child = isTwice ? leaf : whole(list.items, value, inner);
    text += `${text === "" ? "" : ","}${labelOf(step)}${child}`;
  }
  return text;
}

function placesOf(steps: readonly PathElement[]): ReadonlyMap<PathElement, number> {
  const places = new Map<PathElement, number>();
  for (let i = 0; i < steps.length; i++) places.set(steps[i] as PathElement, i);
  return places;
}

const labelOf = (element: PathElement): string => `${JSON.stringify(element)}:`;

/** A member of a map and the step to it. */
interface Step {
  readonly name: string;
  readonly element: PathElement;
  /** What stands before its value in JSON. */
  readonly label: string;
  readonly shape: Shape;
  /** Its place among the fields of a struct. */
  readonly rank: number;
}

const stepTo = (name: string, shape: Shape, rank = 0): Step => {
  const element = fieldElement(name);
  return { name, element, label: labelOf(element), shape, rank };
};

/** The steps to the members of a map that its shape knows, in their order. */
function stepsIn(map: MapShape, value: JsonMap): Step[] {
  const { items: free, fields } = map;
  if (free && fields.size === 0) return sortedKeys(value).map((name) => stepTo(name, free));
  const known = fieldSteps(map);
  const steps: Step[] = [];
  for (const name in value) {
    const step = known.get(name);
    if (step) insertByRank(steps, step);
    else if (free) throw unusual;
  }
  return steps;
}

const structSteps = new WeakMap<MapShape, ReadonlyMap<string, Step>>();

/** The steps to all fields of a struct: their texts are made once. */
function fieldSteps(map: MapShape): ReadonlyMap<string, Step> {
  let steps = structSteps.get(map);
  if (!steps) {
    steps = new Map(
      [...map.fields].map(([name, { shape }], rank) => [name, stepTo(name, shape, rank)]),
    );
    structSteps.set(map, steps);
  }
  return steps;
}

/** There are few, and most come in order. */
function insertByRank(steps: Step[], step: Step): void {
  let at = steps.length;
  for (; at > 0 && (steps[at - 1] as Step).rank > step.rank; at--)
    steps[at] = steps[at - 1] as Step;
  steps[at] = step;
}

const mapOf = (value: unknown): JsonMap => (isMap(value) ? value : {});

/** Whether a value holds nothing, as none does that is neither map nor list. */
function isHollow(value: unknown): boolean {
  if (typeof value === "object") for (const _ in value) return false;
  return true;
}
