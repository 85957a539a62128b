import { quote } from "../values/quote.ts";
import {
  compileRequirement,
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  labelRequirement,
} from "./label-selector-requirement.ts";
import { parseRequirements } from "./label-selector-syntax.ts";

/** A compiled selector: the labels of which objects it takes. */
export interface Selector {
  /** All of them must hold; sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** False for the selector that takes nothing whatever the labels are. */
  readonly selectable: boolean;
  readonly matches: (labels: Labels | undefined) => boolean;
}

/** The object form, as the API has it in `spec.selector`. */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels | null | undefined;
  readonly matchExpressions?: readonly MatchExpression[] | null | undefined;
}
export interface MatchExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

/** Takes every object. */
export const everything: Selector = { requirements: [], selectable: true, matches: () => true };

/** Takes no object. */
export const nothing: Selector = { requirements: [], selectable: false, matches: () => false };

/** Reads the string form; throws a SyntaxError with Kubernetes' words. */
export function parseLabelSelector(text: string): Selector {
  return selectorOf(parseRequirements(text));
}

/** Compiles the object form: an absent one takes nothing, an empty one everything. */
export function labelSelector(object: LabelSelectorObject | null | undefined): Selector {
  if (object === undefined || object === null) return nothing;
  const labels = Object.entries(object.matchLabels ?? {});
  const expressions = object.matchExpressions ?? [];
  if (labels.length + expressions.length === 0) return everything;
  return selectorOf([
    ...labels.map(([key, value]) => labelRequirement(key, "=", [value])),
    ...expressions.map(({ key, operator, values }) =>
      labelRequirement(key, operatorOf(operator), values ?? []),
    ),
  ]);
}

/** Takes objects that have all of these labels; nothing is validated. */
export function selectorFromSet(labels: Labels | null | undefined): Selector {
  return selectorOf(
    Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: "=", values: [value] })),
  );
}

/** Takes objects that meet all requirements. */
export function selectorOf(requirements: readonly LabelRequirement[]): Selector {
  if (requirements.length === 0) return everything;
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return { requirements: sorted, selectable: true, matches: compile(sorted) };
}

/** The string form, which `parseLabelSelector` reads. */
export function formatLabelSelector(selector: Selector): string {
  return selector.requirements.map(formatRequirement).join(",");
}

/** The one value that a selector asks of a label, if it does so. */
export function requiredLabelValue(selector: Selector, key: string): string | undefined {
  const requirement = selector.requirements.find((candidate) => candidate.key === key);
  if (requirement === undefined || requirement.values.length !== 1) return undefined;
  const { operator } = requirement;
  const exact = operator === "=" || operator === "==" || operator === "in";
  return exact ? requirement.values[0] : undefined;
}

function compile(requirements: readonly LabelRequirement[]): Selector["matches"] {
  const checks = requirements.map(compileRequirement);
  const [only] = checks;
  if (only !== undefined && checks.length === 1) return only;
  return (labels) => {
    for (const check of checks) if (!check(labels)) return false;
    return true;
  };
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function operatorOf(name: string): LabelOperator {
  const operator = operators.get(name);
  if (operator !== undefined) return operator;
  throw new SyntaxError(`${quote(name)} is not a valid label selector operator`);
}
