import { type At, omitted } from "../../../schema/language/report.ts";
import { isQualifiedName } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { validateNonnegative } from "../../apps/v1/replica-validation.ts";
import { countIndexes } from "./index-intervals.ts";
import type {
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "./job-policies.ts";
import type { JobSpec } from "./job-spec.ts";

const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;
const maxIndexesLength = 64 * 1024;

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/** The rules of what follows from failures of pods; none where the job does not say. */
export function validatePodFailurePolicy(spec: JobSpec, at: At): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  if (rules.length > maxRules) at.tooMany("rules", rules.length, maxRules);
  for (const [i, rule] of rules.entries())
    validateFailureRule(rule, at.child("rules").index(i), spec);
}

function validateFailureRule(
  { action, onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  at: At,
  spec: JobSpec,
): void {
  if (action === "FailIndex") {
    if (spec.backoffLimitPerIndex === undefined)
      at.invalid("action", action, "requires the backoffLimitPerIndex to be set");
  } else validateOneOf("action", action, { at, values: actions });
  if (onExitCodes) validateExitCodes(onExitCodes, at.child("onExitCodes"), spec);
  validatePatterns(onPodConditions, at.child("onPodConditions"));
  if (onExitCodes && onPodConditions.length > 0)
    at.invalid("", omitted, "specifying both OnExitCodes and OnPodConditions is not supported");
  if (!onExitCodes && onPodConditions.length === 0)
    at.invalid("", omitted, "specifying one of OnExitCodes and OnPodConditions is required");
}

function validateOneOf(
  field: string,
  value: string,
  { at, values }: { readonly at: At; readonly values: readonly string[] },
): void {
  if (value === "")
    at.required(field, `valid values: [${values.map((one) => quote(one)).join(" ")}]`);
  else if (!values.includes(value)) at.notSupported(field, value, values);
}

function validatePatterns(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  at: At,
): void {
  if (patterns.length > maxPatterns) at.tooMany("", patterns.length, maxPatterns);
  for (const [i, { type, status }] of patterns.entries()) {
    at.index(i).invalidEach("type", type, isQualifiedName(type));
    validateOneOf("status", status, { at: at.index(i), values: statuses });
  }
}

function validateExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  at: At,
  { template }: JobSpec,
): void {
  validateOneOf("operator", operator, { at, values: operators });
  const { containers, initContainers } = template.spec;
  // Containers that are missing are reported elsewhere.
  const names = [...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name);
  if (containerName !== undefined && !names.includes(containerName))
    at.invalid(
      "containerName",
      containerName,
      "must be one of the container or initContainer names in the pod template",
    );
  const codes = values ?? [];
  if (codes.length === 0) at.invalid("values", values ?? null, "at least one value is required");
  else if (codes.length > maxExitCodes) at.tooMany("values", codes.length, maxExitCodes);
  for (const [i, code] of codes.entries()) {
    const here = at.child("values").index(i);
    if (operator === "In" && code === 0)
      here.invalid("", code, "must not be 0 for the In operator");
    if (codes.indexOf(code) < i) here.duplicate("", code);
  }
  if (codes.some((code, i) => i > 0 && (codes[i - 1] ?? code) > code))
    at.invalid("values", values, "must be ordered");
}

/** The rules of when an indexed job succeeds early. */
export function validateSuccessPolicy({ successPolicy, completions = 0 }: JobSpec, at: At): void {
  const rules = successPolicy?.rules ?? [];
  if (rules.length === 0)
    at.required(
      "rules",
      "at least one rules must be specified when the successPolicy is specified",
    );
  if (rules.length > maxRules) at.tooMany("rules", rules.length, maxRules);
  for (const [i, rule] of rules.entries())
    validateSuccessRule(rule, at.child("rules").index(i), completions);
}

function validateSuccessRule(rule: SuccessPolicyRule, at: At, completions: number): void {
  const { succeededIndexes, succeededCount } = rule;
  if (succeededCount === undefined && succeededIndexes === undefined)
    at.required("", "at least one of succeededCount or succeededIndexes must be specified");
  const listed =
    succeededIndexes === undefined ? Infinity : validateIndexes(succeededIndexes, at, completions);
  if (succeededCount === undefined) return;
  validateNonnegative(rule, at, "succeededCount");
  if (succeededCount > completions)
    at.invalid(
      "succeededCount",
      succeededCount,
      `must be less than or equal to ${completions} (the number of specified completions)`,
    );
  if (succeededCount > listed)
    at.invalid(
      "succeededCount",
      succeededCount,
      `must be less than or equal to ${listed} (the number of indexes in the specified succeededIndexes field)`,
    );
}

/** How many indexes there are; 0 where they cannot be read. */
function validateIndexes(text: string, at: At, completions: number): number {
  if (new TextEncoder().encode(text).length > maxIndexesLength)
    at.tooLong("succeededIndexes", maxIndexesLength);
  try {
    return countIndexes(text, completions);
  } catch (error) {
    const why = error instanceof Error ? error.message : `${error}`;
    at.invalid("succeededIndexes", text, `error parsing succeededIndexes: ${why}`);
    return 0;
  }
}
