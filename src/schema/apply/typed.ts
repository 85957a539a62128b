import { isMap } from "../json/json-value.ts";
import type { ListShape, MapShape, Scalar, Shape } from "../language/shape.ts";
import { GoValue, goString, goSyntax, goType } from "../values/go-print.ts";
import {
  elementText,
  keyElement,
  type PathElement,
  singleKeyElement,
  valueElement,
} from "./path-element.ts";

export type JsonList = readonly unknown[];

/** What keeps a value from having a shape. The path is empty for the value itself. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

export const problem = (message: string, path = ""): Problem => ({ path, message });

/** The same problems, seen from further out. */
export const under = (prefix: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ path, message }) => ({ path: prefix + path, message }));

/** Problems as one text, which has a line for each where there are several. */
export function problemText(problems: readonly Problem[]): string {
  const lines = problems.map(({ path, message }) =>
    path === "" ? message : `${path}: ${message}`,
  );
  return lines.length === 1
    ? (lines[0] ?? "")
    : ["errors:", ...lines.map((line) => `  ${line}`)].join("\n");
}

/** The form in which a value is looked at: its own where the shape allows it, else one that it allows. */
export function formOf(shape: Shape, value: unknown): "map" | "scalar" | "list" | undefined {
  if (Array.isArray(value)) {
    if (shape.list) return "list";
  } else if (typeof value === "object" && value !== null && !(value instanceof GoValue)) {
    if (shape.map) return "map";
  } else if (value !== undefined && value !== null && shape.scalar) return "scalar";
  if (shape.map) return "map";
  if (shape.scalar) return "scalar";
  return shape.list && "list";
}

export const shapeOfMember = ({ fields, items }: MapShape, name: string): Shape | undefined =>
  fields.get(name)?.shape ?? items;

/** What is wrong with a value that should be a scalar. */
export function checkScalar(scalar: Scalar, value: unknown, prefix = ""): Problem[] {
  if (value === undefined || value === null) return [];
  const isNumber = typeof value === "number" || typeof value === "bigint";
  switch (scalar) {
    case "numeric":
      if (isNumber) return [];
      return [problem(`${prefix}expected numeric (int or float), got ${goType(value)}`)];
    case "string":
      if (typeof value === "string") return [];
      return [
        problem(`${prefix}expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`),
      ];
    case "boolean":
      if (typeof value === "boolean") return [];
      return [problem(`${prefix}expected boolean, got &{${goString(value)}}`)];
    default:
      if (typeof value !== "object") return [];
      return [problem(`${prefix}expected any scalar, got &{${goString(value)}}`)];
  }
}

/** An item that cannot be told from others. */
export class ItemError extends Error {
  override readonly name = "ItemError";
}

/** The step to an item of a list that is no whole; throws an ItemError where it has none. */
function itemElement(list: ListShape, item: unknown): PathElement {
  if (list.kind === "atomic") throw new ItemError("invalid indexing of non-associative list");
  return list.keys.length > 0 ? keyedItem(list, item) : setItem(item);
}

/** The step to an item, or why it has none. */
export function stepTo(list: ListShape, item: unknown): PathElement | ItemError {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof ItemError) return error;
    throw error;
  }
}

/** The steps to the items of a list; throws an ItemError where one has none. */
export const stepsOf = (list: ListShape, items: readonly unknown[]): PathElement[] =>
  items.map((item) => itemElement(list, item));

/** Keys that are absent count as their defaults, where they have any. */
function keyedItem({ keys, items }: ListShape, item: unknown): PathElement {
  if (item === null || item === undefined)
    throw new ItemError("associative list with keys may not have a null element");
  if (!isMap(item) || item instanceof GoValue)
    throw new ItemError("associative list with keys may not have non-map elements");
  const [only] = keys;
  if (only !== undefined && keys.length === 1 && isPlain(item[only]))
    return singleKeyElement(only, item[only]);
  const found: Record<string, unknown> = {};
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : presetOf(items, key);
    if (value !== undefined) found[key] = value;
  }
  if (Object.keys(found).length === 0)
    throw new ItemError(
      `associative list with keys has an element that omits all key fields [${keys.map((key) => JSON.stringify(key)).join(" ")}] (and doesn't have default values for any key fields)`,
    );
  return keyElement(found);
}

const isPlain = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

function presetOf({ map }: Shape, key: string): unknown {
  if (!map)
    throw new ItemError(
      `couldn't find default value for ${key}: associative list may not have non-map types`,
    );
  return map.fields.get(key)?.preset;
}

function setItem(item: unknown): PathElement {
  if (isMap(item))
    throw new ItemError("associative list without keys has an element that's a map type");
  if (Array.isArray(item))
    throw new ItemError("not supported: associative list with lists as elements");
  if (item === null || item === undefined)
    throw new ItemError("associative list without keys has an element that's an explicit null");
  return valueElement(item);
}

export const duplicate = (element: PathElement): Problem =>
  problem(`duplicate entries for key ${elementText(element)}`);
export const badItem = (index: number, { message }: ItemError): Problem =>
  problem(`element ${index}: ${message}`);
