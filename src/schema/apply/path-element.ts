import { goJson } from "../json/go-json.ts";
import { jsonValue, parseJson, setMember, stringifyJson } from "../json/strict-json.ts";
import { quote } from "../values/quote.ts";
import { compareUtf8, sortedKeys } from "../values/utf8-order.ts";

/**
 * One step of a path into an object, as managedFields write it: `f:NAME` is a field, `k:{"port":80}`
 * an item of a list by its keys, `v:"x"` an item of a set, `i:0` one by its place. The text is
 * canonical: equal steps have equal texts.
 */
export type PathElement = string;
export type Path = readonly PathElement[];

/** Few names are in all objects, and a text that is known need not be put together and hashed again. */
export function fieldElement(name: string): PathElement {
  let element = fieldElements.get(name);
  if (element === undefined) {
    element = `f:${name}`;
    if (name.length > longestKept) return element;
    if (fieldElements.size >= mostFieldElements) fieldElements.clear();
    fieldElements.set(name, element);
  }
  return element;
}
const fieldElements = new Map<string, PathElement>();
const mostFieldElements = 10_000;
const longestKept = 100;

export const indexElement = (index: number): PathElement => `i:${index}`;
export const valueElement = (value: unknown): PathElement => `v:${jsonOf(value)}`;

/** The item of a list that has these values for its keys, of which there is at least one. */
export function keyElement(keys: Readonly<Record<string, unknown>>): PathElement {
  const members = sortedKeys(keys).map((name) => `${jsonOf(name)}:${jsonOf(keys[name])}`);
  return `k:{${members.join(",")}}`;
}

/** The same where there is one key. */
export const singleKeyElement = (name: string, value: unknown): PathElement =>
  `k:{${jsonOf(name)}:${jsonOf(value)}}`;

/** The name of a field; undefined for what is none. */
export const fieldOf = (element: PathElement): string | undefined =>
  element.startsWith("f:") ? element.slice(2) : undefined;
export const isKey = (element: PathElement): boolean => element.startsWith("k:");

/** Reads a step as a client may have written it; undefined for what is not known. Throws SyntaxError. */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError("key must be 2 characters long:");
  if (text[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return valueElement(jsonIn(text));
    case "k":
      return keyElement(keysIn(text));
    case "i":
      if (!/^[+-]?[0-9]+$/.test(text.slice(2)))
        throw new SyntaxError(`strconv.Atoi: parsing ${quote(text.slice(2))}: invalid syntax`);
      return indexElement(Number(text.slice(2)));
    default:
      return undefined;
  }
}

/** A step as errors show it: `.name`, `[port=80]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  switch (element[0]) {
    case "f":
      return `.${element.slice(2)}`;
    case "v":
      return `[=${valueText(jsonIn(element))}]`;
    case "k": {
      const keys = Object.entries(keysIn(element));
      return `[${keys.map(([name, value]) => `${name}=${valueText(value)}`).join(",")}]`;
    }
    default:
      return `[${element.slice(2)}]`;
  }
}

export const pathText = (path: Path): string => path.map(elementText).join("");

/** Puts steps in the order in which sets are written: fields, keys, values, places. */
export function sortElements(elements: readonly PathElement[]): readonly PathElement[] {
  if (isInOrder(elements)) return elements;
  return elements
    .map((element) => [element, contentOf(element)] as const)
    .sort(([a, x], [b, y]) => compareElements(a, b, [x, y]))
    .map(([element]) => element);
}

/** As most are that somebody keeps in order, and all that are alone. */
function isInOrder(elements: readonly PathElement[]): boolean {
  for (let i = 1; i < elements.length; i++) {
    const [a, b] = [elements[i - 1] as PathElement, elements[i] as PathElement];
    if (compareElements(a, b, [contentOf(a), contentOf(b)]) > 0) return false;
  }
  return true;
}

const kinds = "fkvi";

/** What a step says, to compare it by. */
function contentOf(element: PathElement): unknown {
  if (element[0] !== "k" && element[0] !== "v") return undefined;
  let content = contents.get(element);
  if (content === undefined) {
    content = element[0] === "k" ? Object.entries(keysIn(element)) : jsonIn(element);
    if (contents.size >= maxContents) contents.clear();
    contents.set(element, content);
  }
  return content;
}

/** Items of different objects mostly have the same keys: `k:{"name":"web"}`. */
const contents = new Map<PathElement, unknown>();
const maxContents = 2000;

function compareElements(
  a: PathElement,
  b: PathElement,
  [x, y]: readonly [unknown, unknown],
): number {
  const kind = kinds.indexOf(a[0] ?? "") - kinds.indexOf(b[0] ?? "");
  if (kind !== 0) return kind;
  switch (a[0]) {
    case "f":
      return compareUtf8(a, b);
    case "v":
      return compareValues(x, y);
    case "k":
      return compareKeys(x as KeyValues, y as KeyValues);
    default:
      return Number(a.slice(2)) - Number(b.slice(2));
  }
}

type KeyValues = readonly (readonly [name: string, value: unknown])[];

function compareKeys(a: KeyValues, b: KeyValues): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (!other) return 1;
    const order = compareUtf8(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers before strings before booleans before all else. */
function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (typeof a === "string") return compareUtf8(a, String(b));
  if (typeof a === "number" || typeof a === "bigint" || typeof a === "boolean")
    return Number(a) - Number(b);
  return compareUtf8(jsonOf(a), jsonOf(b));
}
function rankOf(value: unknown): number {
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`;
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, member]) => `${name}=${valueText(member)}`)
      .join("");
  return String(value);
}

function jsonOf(value: unknown): string {
  if (typeof value !== "string") return stringifyJson(value);
  return plain.test(value) ? `"${value}"` : goJson(value);
}
const plain = /^[\w ./:-]*$/;

const jsonIn = (element: string): unknown => jsonValue(parseJson(element.slice(2)));

function keysIn(element: string): Record<string, unknown> {
  const keys = jsonIn(element);
  if (typeof keys !== "object" || keys === null || Array.isArray(keys))
    throw new SyntaxError(`expected an object of keys: ${element}`);
  // JavaScript would put names that look like numbers first.
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(keys).sort(compareUtf8))
    setMember(sorted, name, (keys as Record<string, unknown>)[name]);
  return sorted;
}
