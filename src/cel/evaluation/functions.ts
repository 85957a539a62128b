import { goRegexp, regexpFault } from "../../schema/regexp/go-regexp.ts";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityAsNumber,
  quantityOf,
  quantitySign,
  subtractQuantities,
} from "../../schema/values/quantity.ts";
import {
  areEqual,
  CelMap,
  CelOptional,
  CelQuantity,
  type CelValue,
  CelVersion,
  compareValues,
  EvaluationError,
  isList,
} from "./cel-value.ts";
import { compareVersions, parseVersion, type SemanticVersion } from "./semantic-version.ts";

/** A function gets the target of a method as its first argument. */
type CelFunction = (a: CelValue, b: CelValue, ...others: CelValue[]) => CelValue;

const noOverload = (): EvaluationError => new EvaluationError("no such overload");
const missingKey = (key: CelValue): EvaluationError =>
  new EvaluationError(`no such key: ${String(key)}`);

/** Reads a member of a map, of a list, or of an optional one of them. */
export function valueAt(container: CelValue, key: CelValue): CelValue {
  if (container instanceof CelOptional) return optionalAt(container, key);
  const found = memberAt(container, key);
  if (found !== undefined) return found;
  throw isList(container) ? new EvaluationError(`index out of bounds: ${key}`) : missingKey(key);
}

/** Reads a member that may be missing. */
function optionalAt(container: CelValue, key: CelValue): CelOptional {
  if (!(container instanceof CelOptional)) return new CelOptional(memberAt(container, key));
  return container.value === undefined ? container : optionalAt(container.value, key);
}

function memberAt(container: CelValue, key: CelValue): CelValue | undefined {
  if (container instanceof CelMap) return container.find(key);
  if (isList(container) && typeof key === "bigint") return container[Number(key)];
  throw noOverload();
}

/** Whether a value has a member; what `has` tells. */
export function hasMember(container: CelValue, name: string): boolean {
  if (container instanceof CelOptional)
    return container.value !== undefined && hasMember(container.value, name);
  if (container instanceof CelMap) return container.find(name) !== undefined;
  throw noOverload();
}

/** The members of a list, with their index, or of a map, whose one-variable folds go over the keys. */
export function membersOf(
  container: CelValue,
): readonly (readonly [key: CelValue, value: CelValue])[] {
  if (isList(container)) return container.map((value, i) => [BigInt(i), value] as const);
  if (container instanceof CelMap)
    return container.keys.map((key) => [key, container.find(key) ?? null] as const);
  throw noOverload();
}

const ordering =
  (holds: (difference: number) => boolean): CelFunction =>
  (a, b) => {
    const difference = compareValues(a, b);
    return difference !== undefined && holds(difference);
  };

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

function checkedInt(value: bigint): bigint {
  if (value < smallest || value > largest) throw new EvaluationError("integer overflow");
  return value;
}

/** Arithmetic on two values of one type. */
function arithmetic(
  ints: (a: bigint, b: bigint) => bigint,
  doubles?: (a: number, b: number) => number,
): CelFunction {
  return (a, b) => {
    if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(ints(a, b));
    if (doubles && typeof a === "number" && typeof b === "number") return doubles(a, b);
    throw noOverload();
  };
}

const addNumbers = arithmetic(
  (a, b) => a + b,
  (a, b) => a + b,
);

function divisor(value: bigint, what: string): bigint {
  if (value === 0n) throw new EvaluationError(`${what} by zero`);
  return value;
}

const ofTexts =
  (run: (a: string, b: string) => CelValue): CelFunction =>
  (a, b) => {
    if (typeof a === "string" && typeof b === "string") return run(a, b);
    throw noOverload();
  };

const ofText =
  (run: (text: string) => CelValue): CelFunction =>
  (text) => {
    if (typeof text === "string") return run(text);
    throw noOverload();
  };

const changedAscii = (text: string, upper: boolean): string =>
  text.replace(/[A-Za-z]+/g, (word) => (upper ? word.toUpperCase() : word.toLowerCase()));

function sizeOf(value: CelValue): bigint {
  if (typeof value === "string") return BigInt([...value].length);
  if (isList(value)) return BigInt(value.length);
  if (value instanceof CelMap) return BigInt(value.keys.length);
  throw noOverload();
}

function readQuantity(text: string): Quantity {
  try {
    return parseQuantity(text);
  } catch (cause) {
    throw new EvaluationError((cause as Error).message, { cause });
  }
}

function canRead(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

function readVersion(text: string): SemanticVersion {
  const version = parseVersion(text);
  if (version) return version;
  throw new EvaluationError(
    text.split(".").length < 3 ? "No Major.Minor.Patch elements found" : `Invalid version: ${text}`,
  );
}

/** Comparisons of two quantities, or of two versions. */
const ofAmounts =
  (run: (difference: number) => CelValue): CelFunction =>
  (a, b) => {
    if (a instanceof CelQuantity && b instanceof CelQuantity)
      return run(Math.sign(compareQuantities(a.quantity, b.quantity)));
    if (a instanceof CelVersion && b instanceof CelVersion)
      return run(compareVersions(a.version, b.version));
    throw noOverload();
  };

const ofQuantity =
  (run: (quantity: Quantity) => CelValue): CelFunction =>
  (value) => {
    if (value instanceof CelQuantity) return run(value.quantity);
    throw noOverload();
  };

const combined =
  (run: (a: Quantity, b: Quantity) => Quantity): CelFunction =>
  (a, b) => {
    const other =
      b instanceof CelQuantity ? b.quantity : typeof b === "bigint" ? quantityOf(b) : undefined;
    if (a instanceof CelQuantity && other) return new CelQuantity(run(a.quantity, other));
    throw noOverload();
  };

const ofVersion =
  (place: 0 | 1 | 2): CelFunction =>
  (value) => {
    if (value instanceof CelVersion) return value.version.numbers[place];
    throw noOverload();
  };

const ofOptional =
  (run: (optional: CelOptional, other: CelValue) => CelValue): CelFunction =>
  (value, other) => {
    if (value instanceof CelOptional) return run(value, other);
    throw noOverload();
  };

/** The integer that a quantity is; undefined if it has a fraction or is too large. */
function integerOf({ mantissa, scale }: Quantity): bigint | undefined {
  if (scale > 18) return mantissa === 0 ? 0n : undefined;
  const power = 10n ** BigInt(Math.min(Math.abs(scale), 400));
  const value = BigInt(mantissa);
  if (scale < 0 && value % power !== 0n) return undefined;
  const whole = scale < 0 ? value / power : value * power;
  return whole < smallest || whole > largest ? undefined : whole;
}

function contains(value: CelValue, container: CelValue): boolean {
  if (isList(container)) return container.some((one) => areEqual(one, value));
  if (container instanceof CelMap) return container.contains(value);
  throw noOverload();
}

function added(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (isList(a) && isList(b)) return [...a, ...b];
  return addNumbers(a, b);
}

/** The functions that are evaluated, by their names in expressions. Others are only checked. */
export const functions: ReadonlyMap<string, CelFunction> = new Map<string, CelFunction>([
  ["_==_", areEqual],
  ["_!=_", (a, b) => !areEqual(a, b)],
  ["_<_", ordering((difference) => difference < 0)],
  ["_<=_", ordering((difference) => difference <= 0)],
  ["_>_", ordering((difference) => difference > 0)],
  ["_>=_", ordering((difference) => difference >= 0)],
  ["@in", contains],
  ["_[_]", valueAt],
  ["_[?_]", optionalAt],
  ["_?._", optionalAt],
  ["_+_", added],
  [
    "_-_",
    arithmetic(
      (a, b) => a - b,
      (a, b) => a - b,
    ),
  ],
  [
    "_*_",
    arithmetic(
      (a, b) => a * b,
      (a, b) => a * b,
    ),
  ],
  [
    "_/_",
    arithmetic(
      (a, b) => a / divisor(b, "division"),
      (a, b) => a / b,
    ),
  ],
  ["_%_", arithmetic((a, b) => a % divisor(b, "modulus"))],
  ["-_", (a) => (typeof a === "number" ? -a : arithmetic((zero, b) => zero - b)(0n, a))],
  [
    "!_",
    (a) => {
      if (typeof a === "boolean") return !a;
      throw noOverload();
    },
  ],
  ["dyn", (value) => value],
  ["size", sizeOf],
  ["startsWith", ofTexts((a, b) => a.startsWith(b))],
  ["endsWith", ofTexts((a, b) => a.endsWith(b))],
  ["contains", ofTexts((a, b) => a.includes(b))],
  ["matches", ofTexts((text, pattern) => matchesPattern(text, pattern))],
  ["lowerAscii", ofText((text) => changedAscii(text, false))],
  ["upperAscii", ofText((text) => changedAscii(text, true))],
  ["quantity", ofText((text) => new CelQuantity(readQuantity(text)))],
  ["isQuantity", ofText(canRead)],
  ["semver", ofText((text) => new CelVersion(readVersion(text)))],
  ["isSemver", ofText((text) => parseVersion(text) !== undefined)],
  ["compareTo", ofAmounts(BigInt)],
  ["isGreaterThan", ofAmounts((difference) => difference > 0)],
  ["isLessThan", ofAmounts((difference) => difference < 0)],
  ["sign", ofQuantity((quantity) => BigInt(quantitySign(quantity)))],
  ["isInteger", ofQuantity((quantity) => integerOf(quantity) !== undefined)],
  [
    "asInteger",
    ofQuantity((quantity) => {
      const value = integerOf(quantity);
      if (value !== undefined) return value;
      throw new EvaluationError("cannot convert value to integer");
    }),
  ],
  ["asApproximateFloat", ofQuantity(quantityAsNumber)],
  ["add", combined(addQuantities)],
  ["sub", combined(subtractQuantities)],
  ["major", ofVersion(0)],
  ["minor", ofVersion(1)],
  ["patch", ofVersion(2)],
  ["optional.of", (value) => new CelOptional(value)],
  ["optional.none", () => new CelOptional()],
  ["hasValue", ofOptional(({ value }) => value !== undefined)],
  [
    "value",
    ofOptional(({ value }) => {
      if (value !== undefined) return value;
      throw new EvaluationError("optional.none() dereference");
    }),
  ],
]);

function matchesPattern(text: string, pattern: string): boolean {
  const fault = regexpFault(pattern);
  if (fault !== undefined) throw new EvaluationError(fault);
  return goRegexp(pattern).test(text);
}
