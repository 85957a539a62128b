import { isQualifiedName, isValidLabelValue } from "../values/names.ts";
import { quote } from "../values/quote.ts";

/** Upstream's names of what a requirement may ask. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** One thing that is asked of labels. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** A requirement that obeys the rules; throws a SyntaxError that names every broken one. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): LabelRequirement {
  const errors = [
    ...keyErrors(key, "key"),
    ...valuesErrors(operator, values),
    ...values.flatMap((value, index) => valueErrors(key, value, index)),
  ];
  if (errors.length > 0) throw new SyntaxError(aggregate(errors));
  return { key, operator, values };
}

/** What is wrong with a key, worded as an error of the field `path`. */
export function keyErrors(key: string, path: string): readonly string[] {
  const messages = isQualifiedName(key);
  if (messages.length === 0) return [];
  return [`${path}: Invalid value: ${quote(key)}: ${messages.join("; ")}`];
}

/** The requirement as a function of labels. */
export function compileRequirement(
  requirement: LabelRequirement,
): (labels: Labels | undefined) => boolean {
  const { key, operator, values } = requirement;
  const [first = ""] = values;
  // Values are compared as strings, so that what an object inherits never counts as a label.
  switch (operator) {
    case "=":
    case "==":
      return (labels) => labels?.[key] === first;
    case "!=":
      return (labels) => labels?.[key] !== first;
    case "in":
      return (labels) => values.includes(labels?.[key] as string);
    case "notin":
      return (labels) => !values.includes(labels?.[key] as string);
    case "exists":
      return (labels) => typeof labels?.[key] === "string";
    case "!":
      return (labels) => typeof labels?.[key] !== "string";
    case "gt":
    case "lt":
      return compileInequality(key, operator, values);
  }
}

/** The requirement as `kubectl -l` takes it. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.length > 1 ? values.toSorted().join(",") : (values[0] ?? "");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${list})`;
    case "gt":
      return `${key}>${list}`;
    case "lt":
      return `${key}<${list}`;
    default:
      return `${key}${operator}${list}`;
  }
}

function compileInequality(
  key: string,
  operator: "gt" | "lt",
  values: readonly string[],
): (labels: Labels | undefined) => boolean {
  const bound = values.length === 1 ? parseInt64(values[0]) : undefined;
  if (bound === undefined) return () => false;
  return (labels) => {
    const value = parseInt64(labels?.[key]);
    if (value === undefined) return false;
    return operator === "gt" ? value > bound : value < bound;
  };
}

function valuesErrors(operator: LabelOperator, values: readonly string[]): string[] {
  const list = values.length === 0 ? "null" : JSON.stringify(values);
  const invalid = (detail: string) => [`values: Invalid value: ${list}: ${detail}`];
  switch (operator) {
    case "in":
    case "notin":
      if (values.length > 0) return [];
      return invalid("for 'in', 'notin' operators, values set can't be empty");
    case "=":
    case "==":
    case "!=":
      if (values.length === 1) return [];
      return invalid("exact-match compatibility requires one single value");
    case "exists":
    case "!":
      if (values.length === 0) return [];
      return invalid("values set must be empty for exists and does not exist");
    case "gt":
    case "lt":
      return [
        ...(values.length === 1
          ? []
          : invalid("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...values.flatMap(integerErrors),
      ];
  }
}

function integerErrors(value: string, index: number): string[] {
  if (parseInt64(value) !== undefined) return [];
  return [
    `values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
  ];
}

function valueErrors(key: string, value: string, index: number): string[] {
  const messages = isValidLabelValue(value);
  if (messages.length === 0) return [];
  return [`values[${index}][${key}]: Invalid value: ${quote(value)}: ${messages.join("; ")}`];
}

function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? distinct.join() : `[${distinct.join(", ")}]`;
}

function parseInt64(text: unknown): bigint | undefined {
  if (typeof text !== "string" || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
