import { isMap, type ReadonlyJsonMap as JsonMap, member, sameJson } from "../json/json-value.ts";
import type { ListShape, MapShape, Shape } from "../language/shape.ts";
import { draftSet, type FieldSet, graft, insert } from "./field-set.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { wholeSetOf } from "./to-field-set.ts";
import { formOf, type JsonList, shapeOfMember, stepsOf } from "./typed.ts";

/** What differs between two values. No path is in more than one of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Compares two values that have the shape. */
export function compare(shape: Shape, before: unknown, after: unknown): Comparison {
  const removed = draftSet();
  const modified = draftSet();
  const added = draftSet();
  const path: PathElement[] = [];

  const visit = (inner: Shape, old: unknown, now: unknown): void => {
    if (old === now) return;
    if (old === undefined) graft(added, path, wholeSetOf(inner, now));
    else if (now === undefined) graft(removed, path, wholeSetOf(inner, old));
    else both(inner, old, now);
  };

  const both = (inner: Shape, old: unknown, now: unknown): void => {
    const oldForm = formOf(inner, old);
    const nowForm = formOf(inner, now);
    // A value that took another form is looked at in both.
    if (oldForm !== nowForm) as(oldForm, inner, [old, now]);
    as(nowForm, inner, [old, now]);
  };

  const as = (form: Form, inner: Shape, [old, now]: Pair): void => {
    if (form === "map" && inner.map && members(inner.map, mapOf(old), mapOf(now))) return;
    if (form === "list" && inner.list && items(inner.list, listOf(old), listOf(now))) return;
    if (!sameJson(old, now)) insert(modified, path);
  };

  const step = (element: PathElement, inner: Shape | undefined, [old, now]: Pair): void => {
    if (!inner) return;
    path.push(element);
    visit(inner, old, now);
    path.pop();
  };

  /** Looks at maps member by member; not at wholes, nor at two that are empty, as null and {} differ. */
  const members = (map: MapShape, old: JsonMap, now: JsonMap): boolean => {
    if (map.isAtomic || (isHollow(old) && isHollow(now))) return false;
    for (const name in old) {
      const pair: Pair = [old[name], member(now, name)];
      if (pair[0] !== pair[1]) step(fieldElement(name), shapeOfMember(map, name), pair);
    }
    for (const name in now)
      if (!Object.hasOwn(old, name))
        step(fieldElement(name), shapeOfMember(map, name), [undefined, now[name]]);
    return true;
  };

  const items = (list: ListShape, old: JsonList, now: JsonList): boolean => {
    if (list.kind === "atomic" || old.length + now.length === 0) return false;
    const mine = stepsOf(list, old);
    const theirs = stepsOf(list, now);
    if (isFewAndUnique(mine) && isFewAndUnique(theirs)) singles(list, [mine, old], [theirs, now]);
    else {
      const [before, after] = [grouped(mine, old), grouped(theirs, now)];
      for (const element of new Set([...mine, ...theirs]))
        group(list, element, [before.get(element) ?? [], after.get(element) ?? []]);
    }
    return true;
  };

  /** Items of which each stands there once, as they mostly do. */
  const singles = (list: ListShape, [mine, old]: Items, [theirs, now]: Items): void => {
    for (const [index, element] of mine.entries()) {
      const other = theirs.indexOf(element);
      step(element, list.items, [old[index], other < 0 ? undefined : now[other]]);
    }
    for (const [index, element] of theirs.entries())
      if (!mine.includes(element)) step(element, list.items, [undefined, now[index]]);
  };

  /** Items that stand there twice are compared as one value, and owned as one. */
  const group = (
    list: ListShape,
    element: PathElement,
    [old, now]: readonly [JsonList, JsonList],
  ): void => {
    if (old.length <= 1 && now.length <= 1) {
      step(element, list.items, [old[0], now[0]]);
    } else if (old.length > 1 && now.length > 1) {
      if (!sameJson(old, now)) insert(modified, [...path, element]);
    } else if (old.length > 1) {
      if (now.length > 0) step(element, list.items, [undefined, now[0]]);
      insert(removed, [...path, element]);
    } else {
      if (old.length > 0) step(element, list.items, [old[0], undefined]);
      insert(added, [...path, element]);
    }
  };

  visit(shape, before, after);
  return { removed, modified, added };
}

type Pair = readonly [old: unknown, now: unknown];
type Items = readonly [steps: readonly PathElement[], items: JsonList];
type Form = ReturnType<typeof formOf>;

const mapOf = (value: unknown): JsonMap => (isMap(value) ? value : {});
const listOf = (value: unknown): JsonList => (Array.isArray(value) ? value : []);

/** So few are compared with each other faster than they are put in a map. */
const few = 16;

function isFewAndUnique(steps: readonly PathElement[]): boolean {
  if (steps.length > few) return false;
  for (let i = 1; i < steps.length; i++)
    if (steps.indexOf(steps[i] as PathElement) < i) return false;
  return true;
}

function grouped(steps: readonly PathElement[], items: JsonList): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const [index, element] of steps.entries()) {
    const group = groups.get(element);
    if (group) group.push(items[index]);
    else groups.set(element, [items[index]]);
  }
  return groups;
}

function isHollow(map: JsonMap): boolean {
  for (const _ in map) return false;
  return true;
}
