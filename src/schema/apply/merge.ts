import { isMap, type ReadonlyJsonMap as JsonMap, member, sameJson } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import type { ListShape, MapShape, Shape } from "../language/shape.ts";
import type { PathElement } from "./path-element.ts";
import { formOf, shapeOfMember, stepsOf } from "./typed.ts";

/**
 * A live value with a configuration laid over it: nothing goes away, and what both say is as the
 * configuration says. Items are in the live order where the configuration does not say otherwise.
 * Both values have the shape; undefined is no value. What stays the same is shared.
 */
export function merged(shape: Shape, live: unknown, config: unknown): unknown {
  const form = formOf(shape, config === undefined ? live : config);
  const { map, list } = shape;
  if (form === "map" && map && !map.isAtomic) return mergedMaps(map, live, config);
  if (form === "list" && list && list.kind !== "atomic") return mergedLists(list, live, config);
  return latter(live, config);
}

/** Of two values that are not merged the configuration's; the live one where they are the same. */
const latter = (live: unknown, config: unknown): unknown =>
  config === undefined || sameJson(live, config) ? live : config;

function mergedMaps(map: MapShape, live: unknown, config: unknown): unknown {
  const below: JsonMap = isMap(live) ? live : {};
  const above: JsonMap = isMap(config) ? config : {};
  if (Object.keys(above).length === 0) {
    // Of two that are empty the latter counts, as null and {} differ.
    return Object.keys(below).length > 0 ? below : latter(live, config);
  }
  const result: Record<string, unknown> = {};
  let isSame = true;
  const put = (name: string, mine: unknown, theirs: unknown) => {
    const inner = shapeOfMember(map, name);
    const value = inner && merged(inner, mine, theirs);
    isSame &&= value === mine;
    if (value !== undefined) setMember(result, name, value);
  };
  for (const name in below) put(name, below[name], member(above, name));
  for (const name in above) if (!Object.hasOwn(below, name)) put(name, undefined, above[name]);
  return isSame ? below : result;
}

function mergedLists(list: ListShape, live: unknown, config: unknown): unknown {
  const below = Array.isArray(live) ? live : [];
  const above = Array.isArray(config) ? config : [];
  if (above.length === 0) {
    return below.length > 0 ? below : latter(live, config);
  }
  const result = mergedItems(list, below, above);
  const isSame =
    result.length === below.length && result.every((item, index) => item === below[index]);
  return isSame ? below : result;
}

/**
 * Walks both lists at once. Items of one list alone stay where they are in it; those of both come in
 * the order of the configuration, as soon as the walk through the live list reaches the next of them.
 */
function mergedItems(list: ListShape, live: readonly unknown[], config: readonly unknown[]) {
  const mine = stepsOf(list, live);
  const theirs = stepsOf(list, config);
  const liveItems = onlyOnce(mine, live);
  const configItems = new Map(theirs.map((step, index) => [step, config[index]] as const));
  const shared = theirs.filter((step) => liveItems.has(step));
  const done = new Set<PathElement>();
  const result: unknown[] = [];
  const take = (step: PathElement) => {
    done.add(step);
    result.push(merged(list.items, liveItems.get(step), configItems.get(step)));
    if (shared[0] === step) shared.shift();
  };
  let at = 0;
  let next = 0;
  while (at < mine.length || next < theirs.length) {
    const step = mine[at];
    const other = theirs[next];
    if (step === undefined) {
      if (other !== undefined) take(other);
      next++;
    } else if (step === other) {
      take(step);
      at++;
      next++;
    } else if (!configItems.has(step)) {
      result.push(live[at]);
      at++;
    } else if (
      done.has(step) ||
      (other !== undefined && shared[0] !== undefined && shared[0] !== step)
    ) {
      at++;
    } else {
      if (other !== undefined) take(other);
      next++;
    }
  }
  return result;
}

/** Live items by their step; those that stand there twice cannot be merged with, and count as null. */
function onlyOnce(steps: readonly PathElement[], items: readonly unknown[]) {
  const found = new Map<PathElement, unknown>();
  for (const [index, step] of steps.entries())
    found.set(step, found.has(step) ? null : items[index]);
  return found;
}
