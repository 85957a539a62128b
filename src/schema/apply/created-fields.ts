import { type Replaceable, replaceable } from "../generated-code/generate.ts";
import { isMap, type ReadonlyJsonMap as JsonMap, member, sameJson } from "../json/json-value.ts";
import type { ListShape, MapShape, Shape } from "../language/shape.ts";
import { sortedKeys } from "../values/utf8-order.ts";
import { emptySet, type FieldSet } from "./field-set.ts";
import { close, fieldsTrail, leaf, open } from "./fields-trail.ts";
import type { FieldsV1 } from "./fields-v1.ts";
import { type Item, itemsIn, labelOf } from "./items-in-order.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { formOf } from "./typed.ts";
import { generateWhole, type WriteWhole } from "./whole-fields.ts";

/** An object that is made, what there was before it was, and the paths at and below which nobody owns. */
export interface Creation {
  readonly nothing: JsonMap;
  readonly next: JsonMap;
  readonly unowned: FieldSet;
}

/**
 * What whoever creates an object owns of it, as managedFields hold it: the same as `compare` finds
 * added or modified, without what is unowned, in one walk and without a set in between. Undefined
 * where it owns nothing; "unknown" where only `compare` can tell.
 */
export function createdFields(
  shape: Shape,
  { nothing, next, unowned }: Creation,
): FieldsV1 | undefined | "unknown" {
  trail.begin();
  try {
    return writeNew(shape, [nothing, next], unowned) ? trail.end() : undefined;
  } catch (fault) {
    if (fault === unusual) return "unknown";
    throw fault;
  }
}

/** What is being written; objects are created one after the other. */
const trail = fieldsTrail();

/** Thrown, without cost of a stack, where what there was before has more to it than zero values. */
const unusual = new Error("not as new objects are");

/** Writes what is new in a value that there was before; false where all is the same, and not owned. */
function writeNew(
  shape: Shape,
  [old, now]: readonly [unknown, unknown],
  unowned: FieldSet,
): boolean {
  if (old === now || now === undefined) return false;
  if (old === undefined) {
    writeWhole(shape, now, unowned);
    return true;
  }
  const form = formOf(shape, now);
  if (form !== formOf(shape, old)) throw unusual;
  const { map, list } = shape;
  if (form === "map" && map && !map.isAtomic && !(isHollow(old) && isHollow(now)))
    return writeNewMembers(map, [mapOf(old), mapOf(now)], unowned);
  if (form === "list" && list && list.kind !== "atomic" && !(isHollow(old) && isHollow(now))) {
    if (!isHollow(old)) throw unusual;
    return writeNewItems(list, Array.isArray(now) ? now : [], unowned);
  }
  if (sameJson(old, now)) return false;
  trail.add(leaf);
  return true;
}

function writeNewMembers(
  map: MapShape,
  [old, now]: readonly [JsonMap, JsonMap],
  unowned: FieldSet,
): boolean {
  const start = trail.place();
  let isFirst = true;
  trail.add("{");
  for (const { name, element, label, shape } of stepsIn(map, now)) {
    if (unowned.members.has(element)) continue;
    const inner = unowned.children.get(element) ?? emptySet;
    const before = trail.place();
    trail.add(isFirst ? label.slice(1) : label);
    if (writeNew(shape, [member(old, name), now[name]], inner)) isFirst = false;
    else trail.backTo(before);
  }
  trail.add(close);
  if (isFirst) trail.backTo(start);
  return !isFirst;
}

function writeNewItems(list: ListShape, values: readonly unknown[], unowned: FieldSet): boolean {
  const owned = itemsIn(list, values).filter(({ element }) => !unowned.members.has(element));
  if (owned.length === 0) return false;
  let before = "{";
  for (const item of owned) {
    trail.add(before);
    trail.add(item.label.slice(1));
    writeItem(list, item, unowned);
    before = ",";
  }
  trail.add(close);
  return true;
}

/** Writes all of a value that has come: itself, and the maps and lists that its leaves are in. */
function writeWhole(shape: Shape, value: unknown, unowned: FieldSet): void {
  if (unowned === emptySet) wholeWriter(shape).run(value);
  else writeBeside(shape, value, unowned);
}

const wholeWriters = new WeakMap<Shape, Replaceable<WriteWhole>>();

/** What writes values of a shape of which all is owned, as of most that is created. */
function wholeWriter(shape: Shape): Replaceable<WriteWhole> {
  let writer = wholeWriters.get(shape);
  if (!writer) {
    writer = replaceable(
      (value: unknown) => writeBeside(shape, value, emptySet),
      () => generateWhole(shape, { trail, writerOf: wholeWriter }),
    );
    wholeWriters.set(shape, writer);
  }
  return writer;
}

function writeBeside(shape: Shape, value: unknown, unowned: FieldSet): void {
  const { map, list } = shape;
  const form = formOf(shape, value);
  if (form === "map" && map && !map.isAtomic && isMap(value)) writeMembers(map, value, unowned);
  else if (form === "list" && list && list.kind !== "atomic" && Array.isArray(value))
    writeItems(list, value, unowned);
  else trail.add(leaf);
}

function writeMembers(map: MapShape, value: JsonMap, unowned: FieldSet): void {
  trail.add(open);
  for (const { name, element, label, shape } of stepsIn(map, value)) {
    if (unowned.members.has(element)) continue;
    trail.add(label);
    writeWhole(shape, value[name], unowned.children.get(element) ?? emptySet);
  }
  trail.add(close);
}

function writeItems(list: ListShape, values: readonly unknown[], unowned: FieldSet): void {
  trail.add(open);
  for (const item of itemsIn(list, values)) {
    if (unowned.members.has(item.element)) continue;
    trail.add(item.label);
    writeItem(list, item, unowned);
  }
  trail.add(close);
}

function writeItem({ items }: ListShape, { element, value, isTwice }: Item, unowned: FieldSet) {
  if (isTwice) trail.add(leaf);
  else writeWhole(items, value, unowned.children.get(element) ?? emptySet);
}

/** A member of a map and the step to it. */
interface Step {
  readonly name: string;
  readonly element: PathElement;
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
