import { isMap } from "../../../schema/json/json-value.ts";
import { goString, goType } from "../../../schema/values/go-print.ts";
import { compareUtf8, sortedKeys } from "../../../schema/values/utf8-order.ts";
import type { FilterNode, PathList, PathNode, SliceNode } from "./json-path-node.ts";

/** A number with a decimal point in a path: it is no integer even where its value is whole. */
export class PathFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/**
 * Finds what a template of paths leads to, for each of its parts one list of values. It keeps the state
 * of the loops of one execution.
 */
export class PathExecution {
  readonly #allowMissingKeys: boolean;
  #beginning = 0;
  #inside = 0;
  #ending = 0;
  #lastEnd = -1;

  constructor(allowMissingKeys: boolean) {
    this.#allowMissingKeys = allowMissingKeys;
  }

  /** `start` is the part to begin with, behind the head of a loop. */
  find(parts: readonly PathNode[], data: unknown, start = 0): readonly (readonly unknown[])[] {
    const found: (readonly unknown[])[] = [];
    for (let i = start; i < parts.length; i++) {
      const part = parts[i];
      const results = part ? this.#take(part, [data]) : [];
      if (this.#ending > 0 && this.#ending <= this.#inside) {
        this.#ending--;
        this.#lastEnd = i;
        break;
      }
      if (this.#beginning > 0) {
        i = this.#loop(parts, results, { i, found });
        continue;
      }
      found.push(results);
    }
    return found;
  }

  /** Runs the parts behind `i` for each value; returns where to go on. */
  #loop(
    parts: readonly PathNode[],
    values: readonly unknown[],
    { i, found }: { readonly i: number; readonly found: (readonly unknown[])[] },
  ): number {
    this.#beginning--;
    this.#inside++;
    for (const value of values) found.push(...this.find(parts, value, i + 1));
    // Without values the parts are only passed, to find the end of the loop.
    if (values.length === 0) this.find(parts, undefined, i + 1);
    this.#inside--;
    return this.#lastEnd > i ? this.#lastEnd : i;
  }

  #take(node: PathNode, input: readonly unknown[]): readonly unknown[] {
    switch (node.type) {
      case "list":
        return this.#takeList(node, input);
      case "text":
        return [node.text];
      case "field":
        return this.#field(node.name, input);
      case "slice":
        return slice(node, input);
      case "filter":
        return input.flatMap((value) => this.#filter(node, value));
      case "int":
      case "bool":
        return input.map(() => node.value);
      case "float":
        return input.map(() => new PathFloat(node.value));
      case "wildcard":
        return input.flatMap(parts);
      case "recursive":
        return recursive(input);
      case "union":
        return node.lists.flatMap((list) => this.#takeList(list, input));
      default:
        return this.#identifier(node.name, input);
    }
  }

  #takeList({ nodes }: PathList, input: readonly unknown[]): readonly unknown[] {
    return nodes.reduce((values, node) => this.#take(node, values), input);
  }

  #identifier(name: string, input: readonly unknown[]): readonly unknown[] {
    if (name === "range") {
      this.#beginning++;
      return input;
    }
    if (name !== "end") throw new Error(`unrecognized identifier ${name}`);
    if (this.#inside === 0) throw new Error("not in range, nothing to end");
    this.#ending++;
    return [];
  }

  #field(name: string, input: readonly unknown[]): readonly unknown[] {
    if (input.length === 0) return [];
    const found = input.flatMap((value) =>
      isMap(value) && Object.hasOwn(value, name) ? [value[name] ?? null] : [],
    );
    if (found.length === 0 && !this.#allowMissingKeys) throw new Error(`${name} is not found`);
    return found;
  }

  #filter({ left, operator, right }: FilterNode, list: unknown): readonly unknown[] {
    if (!Array.isArray(list))
      throw new Error(`${shown(list)} is not array or slice and cannot be filtered`);
    return list.filter((item: unknown) => {
      if (operator === "exists") return this.#exists(left, item);
      const a = this.#takeList(left, [item]);
      if (a.length === 0) return false;
      if (a.length > 1) throw new Error("can only compare one element at a time");
      const b = this.#takeList(right, [item]);
      if (b.length === 0) return false;
      if (b.length > 1) throw new Error("can only compare one element at a time");
      return holds(a[0], operator, b[0]);
    });
  }

  /** Errors on the way mean that there is nothing; but a wrong step has its input left, which counts. */
  #exists(left: PathList, item: unknown): boolean {
    let values: readonly unknown[] = [item];
    for (const node of left.nodes) {
      try {
        values = this.#take(node, values);
      } catch {
        return node.type !== "field" && values.length > 0;
      }
    }
    return values.length > 0;
  }
}

const isPresent = (value: unknown): boolean => value !== null && value !== undefined;

function parts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isMap(value)) return sortedKeys(value).map((name) => value[name] ?? null);
  // Go has the bytes of a string here.
  return typeof value === "string" ? [...new TextEncoder().encode(value)] : [];
}

function recursive(input: readonly unknown[]): readonly unknown[] {
  return input.filter(isPresent).flatMap((value) => {
    const held = parts(value);
    return held.length === 0 ? [] : [value, ...recursive(held)];
  });
}

function slice(node: SliceNode, input: readonly unknown[]): readonly unknown[] {
  const found: unknown[] = [];
  for (const value of input.filter(isPresent)) {
    if (!Array.isArray(value)) throw new Error(`${goType(value)} is not array or slice`);
    const items = sliced(node, value);
    // Upstream leaves the lists behind an empty part out.
    if (!items) return found;
    found.push(...items);
  }
  return found;
}

/** The items of a part of a list; undefined for a part without items. */
function sliced(
  { from = 0, to, step = 1, isOne }: SliceNode,
  list: readonly unknown[],
): readonly unknown[] | undefined {
  const { length } = list;
  const start = from < 0 ? from + length : from;
  const given = isOne ? from + 1 : (to ?? length);
  const end = given < 0 || (given === 0 && isOne) ? given + length : given;
  if (start === end) return undefined;
  if (start >= length || start < 0) throw outOfBounds(start, length);
  if (end > length || end < 0) throw outOfBounds(end - 1, length);
  if (start > end) throw new Error(`starting index ${start} is greater than ending index ${end}`);
  if (step <= 0) throw new Error("step must be > 0");
  return list.slice(start, end).filter((_, i) => i % step === 0);
}

const outOfBounds = (index: number, length: number): Error =>
  new Error(`array index out of bounds: index ${index}, length ${length}`);

/** A value in an error: Go writes what is no value, and no string, with its type. */
function shown(value: unknown): string {
  return isPresent(value) ? goString(value) : "<nil>";
}

function holds(a: unknown, operator: string, b: unknown): boolean {
  switch (operator) {
    case "==":
      return equals(a, b);
    case "!=":
      return !equals(a, b);
    case "<":
      return isLess(a, b);
    case "<=":
      return isLess(a, b) || equals(a, b);
    case ">":
      return !(isLess(a, b) || equals(a, b));
    case ">=":
      return !isLess(a, b);
    default:
      throw new Error(`unrecognized filter operator ${operator}`);
  }
}

type Kind = "bool" | "int" | "float" | "string";

function kindOf(value: unknown): Kind {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (value instanceof PathFloat) return "float";
  if (typeof value === "number" || typeof value === "bigint")
    return goType(value) === "int64" ? "int" : "float";
  throw new Error("invalid type for comparison");
}

function comparable(a: unknown, b: unknown): Kind {
  const kind = kindOf(a);
  if (kind !== kindOf(b)) throw new Error("incompatible types for comparison");
  return kind;
}

const plain = (value: unknown): unknown => (value instanceof PathFloat ? value.value : value);

function equals(a: unknown, b: unknown): boolean {
  comparable(a, b);
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint may equal a number
  return plain(a) == plain(b);
}

function isLess(a: unknown, b: unknown): boolean {
  const kind = comparable(a, b);
  if (kind === "bool") throw new Error("invalid type for comparison");
  if (kind === "string") return compareUtf8(a as string, b as string) < 0;
  return (plain(a) as number | bigint) < (plain(b) as number | bigint);
}
