/** A step of a path: from some values to those that it leads to. */
export type PathStep =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "wildcard" }
  | { readonly type: "recursive" }
  | { readonly type: "literal"; readonly value: string | number | boolean }
  | { readonly type: "union"; readonly paths: readonly (readonly PathStep[])[] }
  | SliceStep
  | FilterStep;

interface SliceStep {
  readonly type: "slice";
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly step: number | undefined;
  /** One item alone, at `from`. */
  readonly isOne: boolean;
}
interface FilterStep {
  readonly type: "filter";
  readonly left: readonly PathStep[];
  readonly operator: string;
  readonly right: readonly PathStep[];
}

/** The values that steps lead to, one after the other. */
export function evaluatePath(
  steps: readonly PathStep[],
  values: readonly unknown[],
): readonly unknown[] {
  return steps.reduce((input, step) => take(step, input), values);
}

function take(step: PathStep, input: readonly unknown[]): readonly unknown[] {
  switch (step.type) {
    case "field":
      return present(input).flatMap((value) => member(value, step.name));
    case "wildcard":
      return present(input).flatMap(parts);
    case "recursive":
      return recursive(input);
    case "literal":
      // A text stands for itself once, whatever it is compared with.
      return typeof step.value === "string" ? [step.value] : input.map(() => step.value);
    case "union":
      return step.paths.flatMap((path) => evaluatePath(path, input));
    case "slice":
      return present(input).flatMap((value) => slice(step, value));
    default:
      return input.flatMap((value) => filter(step, value));
  }
}

const present = (values: readonly unknown[]): readonly unknown[] =>
  values.filter((value) => value !== null && value !== undefined);

function member(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.hasOwn(value, name) ? [(value as Readonly<Record<string, unknown>>)[name]] : [];
}

function parts(value: unknown): readonly unknown[] {
  if (typeof value === "string") return [...value];
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function recursive(input: readonly unknown[]): readonly unknown[] {
  return present(input).flatMap((value) => {
    const held = parts(value);
    return held.length === 0 ? [] : [value, ...recursive(typeof value === "string" ? [] : held)];
  });
}

function slice({ from = 0, to, step = 1, isOne }: SliceStep, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("not an array or slice");
  const start = from < 0 ? from + value.length : from;
  const given = isOne ? from + 1 : (to ?? value.length);
  const end = given < 0 || (isOne && given === 0) ? given + value.length : given;
  if (start === end) return [];
  if (start < 0 || start >= value.length || end < 0 || end > value.length || start > end)
    throw new RangeError(`array index out of bounds: index ${start}, length ${value.length}`);
  if (step <= 0) throw new RangeError("step must be > 0");
  return value.slice(start, end).filter((_, i) => i % step === 0);
}

function filter({ left, operator, right }: FilterStep, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("not an array or slice and cannot be filtered");
  return value.filter((item: unknown) => {
    const found = evaluatePath(left, [item]);
    if (operator === "exists") return found.length > 0;
    if (found.length === 0) return false;
    const wanted = evaluatePath(right, [item]);
    if (wanted.length === 0) return false;
    if (found.length > 1 || wanted.length > 1)
      throw new TypeError("can only compare one element at a time");
    return holds(found[0], operator, wanted[0]);
  });
}

function holds(a: unknown, operator: string, b: unknown): boolean {
  const kind = kindOf(a);
  if (kind !== kindOf(b)) throw new TypeError("incompatible types for comparison");
  if (operator === "==") return a === b;
  if (operator === "!=") return a !== b;
  if (kind === "boolean") throw new TypeError("invalid type for comparison");
  const [x, y] = [a as number, b as number];
  if (operator === "<") return x < y;
  if (operator === "<=") return x <= y;
  if (operator === ">") return x > y;
  if (operator === ">=") return x >= y;
  throw new TypeError(`unrecognized filter operator ${operator}`);
}

/** What can be compared: whole numbers, others, texts and truth values among themselves. */
function kindOf(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string" || typeof value === "boolean") return typeof value;
  throw new TypeError("invalid type for comparison");
}
