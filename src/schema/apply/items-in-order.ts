import { isMap } from "../json/json-value.ts";
import type { ListShape } from "../language/shape.ts";
import { compareUtf8 } from "../values/utf8-order.ts";
import { type PathElement, singleKeyElement, sortElements } from "./path-element.ts";
import { stepsOf } from "./typed.ts";

/** An item of a list and the step to it; items that stand there twice are owned as one. */
export interface Item {
  readonly element: PathElement;
  readonly label: string;
  readonly value: unknown;
  readonly isTwice: boolean;
}

/** The items of a list in the order of the steps to them. */
export function itemsIn(list: ListShape, values: readonly unknown[]): Item[] {
  const [key] = list.keys;
  const named = list.keys.length === 1 && key !== undefined && namedItems(key, values);
  return named || anyItems(list, values);
}

/** The same of items whose only key is a text that tells them apart, as it mostly is. */
function namedItems(key: string, values: readonly unknown[]): Item[] | undefined {
  if (values.length > fewItems) return undefined;
  const names: string[] = [];
  const items: Item[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const name = isMap(value) ? value[key] : undefined;
    if (typeof name !== "string") return undefined;
    let at = i;
    for (; at > 0; at--) {
      const order = compareUtf8(names[at - 1] as string, name);
      if (order === 0) return undefined;
      if (order < 0) break;
      names[at] = names[at - 1] as string;
      items[at] = items[at - 1] as Item;
    }
    names[at] = name;
    const element = elementNamed(key, name);
    items[at] = { element, label: labelOf(element), value, isTwice: false };
  }
  return items;
}

/** More than these are not sorted by looking at each for each. */
const fewItems = 32;

function elementNamed(key: string, name: string): PathElement {
  let known = elements.get(key);
  if (!known) {
    known = new Map();
    elements.set(key, known);
  }
  let element = known.get(name);
  if (element === undefined) {
    element = singleKeyElement(key, name);
    if (known.size >= mostLabels) known.clear();
    known.set(name, element);
  }
  return element;
}
/** By key and its value: their hashes are known, that of a text that is put together is not. */
const elements = new Map<string, Map<string, PathElement>>();

function anyItems(list: ListShape, values: readonly unknown[]): Item[] {
  const steps = stepsOf(list, values);
  const sorted = sortElements(steps);
  const placeOf = sorted === steps ? undefined : placesOf(steps);
  const items: Item[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const element = sorted[i] as PathElement;
    if (i > 0 && sorted[i - 1] === element) continue;
    const value = values[placeOf ? (placeOf.get(element) as number) : i];
    items.push({ element, label: labelOf(element), value, isTwice: sorted[i + 1] === element });
  }
  return items;
}

function placesOf(steps: readonly PathElement[]): ReadonlyMap<PathElement, number> {
  const places = new Map<PathElement, number>();
  for (let i = 0; i < steps.length; i++) places.set(steps[i] as PathElement, i);
  return places;
}

/** What stands before the value of a member in JSON, where others stand before it. */
export function labelOf(element: PathElement): string {
  let label = labels.get(element);
  if (label === undefined) {
    label = `,${JSON.stringify(element)}:`;
    if (labels.size >= mostLabels) labels.clear();
    labels.set(element, label);
  }
  return label;
}
const labels = new Map<PathElement, string>();
const mostLabels = 2000;
