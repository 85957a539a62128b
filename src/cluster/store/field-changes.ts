import {
  fieldElement,
  indexElement,
  type Path,
  pathText,
} from "../../schema/apply/path-element.ts";
import { shapeOfMember, stepTo } from "../../schema/apply/typed.ts";
import { isMap, member, sameJson } from "../../schema/json/json-value.ts";
import { deducedShape, type ListShape, type Shape, shapeOf } from "../../schema/language/shape.ts";
import type { ReadObject } from "../commands/decode/decode-objects.ts";

/** A field that differs between two versions of an object. */
export interface FieldChange {
  readonly path: Path;
  /** Absent for a field that was added. */
  readonly before?: unknown;
  /** Absent for a field that was removed. */
  readonly after?: unknown;
}

/** The fields that differ, each at its full path, without managedFields. */
export function fieldChanges(before: ReadObject, after: ReadObject): FieldChange[] {
  const struct = after.struct ?? before.struct;
  const shape = struct ? shapeOf(struct) : deducedShape;
  const changes = differences(shape, { path: [], before: before.value, after: after.value });
  return changes.filter(({ path: [first, second] }) => {
    return first !== "f:metadata" || second !== "f:managedFields";
  });
}

/** Formats a path: `spec.containers[name="web"].image`. */
export const fieldText = (path: Path): string => pathText(path).replace(/^\./, "");

function differences(shape: Shape, change: FieldChange): FieldChange[] {
  const { before, after } = change;
  if (sameJson(before, after)) return [];
  if (areAll(isMap, before, after)) return inMap(shape, change);
  if (areAll(Array.isArray, before, after)) return inList(shape, change);
  return [change];
}

/** Whether all values that are present have the given type, and at least one is not empty. */
function areAll(is: (value: unknown) => boolean, before: unknown, after: unknown): boolean {
  const values = [before, after].filter((value) => value !== undefined);
  return values.every(is) && values.some((value) => Object.keys(value as object).length > 0);
}

function inMap(shape: Shape, { path, before, after }: FieldChange): FieldChange[] {
  const [old, now] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].flatMap((name) =>
    differences((shape.map && shapeOfMember(shape.map, name)) ?? deducedShape, {
      path: [...path, fieldElement(name)],
      before: member(old, name),
      after: member(now, name),
    }),
  );
}

function inList({ list }: Shape, { path, before, after }: FieldChange): FieldChange[] {
  const [old = [], now = []] = [before, after].map((items) => (items ?? []) as unknown[]);
  const named = list && [byStep(list, old), byStep(list, now)];
  const [mine, theirs] = named?.every((items) => items !== undefined)
    ? named
    : [byPlace(old), byPlace(now)];
  const steps = new Set([...(mine?.keys() ?? []), ...(theirs?.keys() ?? [])]);
  return [...steps].flatMap((step) =>
    differences(list?.items ?? deducedShape, {
      path: [...path, step],
      before: mine?.get(step),
      after: theirs?.get(step),
    }),
  );
}

/** Items by their keys or values; undefined if these are not unique. */
function byStep(list: ListShape, items: readonly unknown[]): Map<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const item of items) {
    const step = stepTo(list, item);
    if (typeof step !== "string" || named.has(step)) return undefined;
    named.set(step, item);
  }
  return named;
}

const byPlace = (items: readonly unknown[]): Map<string, unknown> =>
  new Map(items.map((item, i) => [indexElement(i), item]));
