import { compareQuantities, type Quantity } from "../../schema/values/quantity.ts";
import { compareVersions, type SemanticVersion } from "./semantic-version.ts";

/** A value of an expression. Whole numbers are `bigint`, and `number` is a double. */
export type CelValue =
  | boolean
  | bigint
  | number
  | string
  | null
  | readonly CelValue[]
  | CelMap
  | CelOptional
  | CelQuantity
  | CelVersion;

/** Why an expression has no value. `&&` and `||` may still have one. */
export class EvaluationError extends Error {
  override readonly name: string = "EvaluationError";
}

/** An expression uses a part of the language that is checked, but not evaluated. */
export class UnsupportedError extends EvaluationError {
  override readonly name = "UnsupportedError";

  constructor(what: string) {
    super(`${what} is not supported when an expression is evaluated`);
  }
}

/** A map. With a fallback, that is the value of all other keys, which it still does not contain. */
export class CelMap {
  readonly #entries = new Map<unknown, CelValue>();
  readonly #keys: readonly CelValue[];
  readonly #fallback: CelValue | undefined;

  constructor(entries: Iterable<readonly [CelValue, CelValue]>, fallback?: CelValue) {
    const keys: CelValue[] = [];
    for (const [key, value] of entries) {
      if (this.contains(key)) throw new EvaluationError(`Failed with repeated key: ${key}`);
      this.#entries.set(keyOf(key), value);
      keys.push(key);
    }
    this.#keys = keys;
    this.#fallback = fallback;
  }

  get keys(): readonly CelValue[] {
    return this.#keys;
  }

  contains(key: CelValue): boolean {
    return this.#entries.has(keyOf(key));
  }

  find(key: CelValue): CelValue | undefined {
    const found = this.#entries.get(keyOf(key));
    return found === undefined ? this.#fallback : found;
  }
}

/** Numbers of different types are the same key. */
const keyOf = (key: CelValue): unknown =>
  typeof key === "number" && Number.isInteger(key) ? BigInt(key) : key;

/** A value that may be missing. */
export class CelOptional {
  readonly value: CelValue | undefined;

  constructor(value?: CelValue) {
    this.value = value;
  }
}

export class CelQuantity {
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }
}

export class CelVersion {
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    this.version = version;
  }
}

export const isList = (value: CelValue): value is readonly CelValue[] => Array.isArray(value);

const isNumber = (value: CelValue): value is bigint | number =>
  typeof value === "bigint" || typeof value === "number";

/** Values of different types are not equal, except numbers. */
export function areEqual(a: CelValue, b: CelValue): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: JavaScript compares a bigint with a double as CEL does.
  if (isNumber(a) && isNumber(b)) return a == b;
  if (isList(a) && isList(b))
    return a.length === b.length && a.every((one, i) => areEqual(one, b[i] ?? null));
  if (a instanceof CelMap && b instanceof CelMap)
    return (
      a.keys.length === b.keys.length &&
      a.keys.every((key) => b.contains(key) && areEqual(a.find(key) ?? null, b.find(key) ?? null))
    );
  if (a instanceof CelOptional && b instanceof CelOptional)
    return a.value === undefined || b.value === undefined
      ? a.value === b.value
      : areEqual(a.value, b.value);
  if (a instanceof CelQuantity && b instanceof CelQuantity)
    return compareQuantities(a.quantity, b.quantity) === 0;
  if (a instanceof CelVersion && b instanceof CelVersion)
    return compareVersions(a.version, b.version) === 0;
  return a === b;
}

/** Negative, zero or positive; undefined if the values have no order, as NaN. */
export function compareValues(a: CelValue, b: CelValue): number | undefined {
  const isOrdered =
    (isNumber(a) && isNumber(b)) ||
    (typeof a === "boolean" && typeof b === "boolean") ||
    (typeof a === "string" && typeof b === "string");
  if (!isOrdered) throw new EvaluationError("no such overload");
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  const [left, right] = [a as number, b as number];
  if (left < right) return -1;
  if (left > right) return 1;
  return Number.isNaN(left) || Number.isNaN(right) ? undefined : 0;
}

/** The order of the bytes in UTF-8, which is that of the code points. */
function compareText(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The name of a value's type, as errors have it. */
export function typeName(value: CelValue): string {
  if (value === null) return "null_type";
  if (isList(value)) return "list";
  if (value instanceof CelMap) return "map";
  if (value instanceof CelOptional) return "optional_type";
  if (value instanceof CelQuantity) return "kubernetes.Quantity";
  if (value instanceof CelVersion) return "kubernetes.Semver";
  const names: Readonly<Record<string, string>> = {
    boolean: "bool",
    bigint: "int",
    number: "double",
    string: "string",
  };
  return names[typeof value] ?? "";
}
