import {
  type AdmissionCompiler,
  createAdmissionCompiler,
} from "../../../api/admissionregistration/v1/admission-expression.ts";
import type { MatchCondition } from "../../../api/admissionregistration/v1/match-condition.ts";
import { boolType } from "../../../cel/checking/cel-type.ts";
import { errorText } from "../../authorization/authorizer.ts";
import type {
  ConditionsOwner,
  MatchConditionMetrics,
} from "../../metrics/match-condition-metrics.ts";
import {
  type AdmissionExpression,
  type Evaluated,
  type ExpressionInput,
  evaluateExpressions,
} from "./evaluate-expressions.ts";

/** What match conditions say of a request. */
export type MatchOutcome =
  | { readonly matches: true }
  | { readonly matches: false }
  | {
      /** Why the conditions could not be evaluated, where that is a failure. */
      readonly error: string;
    };

export interface MatchConditionsOptions {
  readonly conditions: readonly MatchCondition[] | undefined;
  readonly failurePolicy: string | undefined;
  readonly owner: ConditionsOwner;
  readonly metrics: MatchConditionMetrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  /** Of the policy that the conditions belong to; conditions of a webhook share nothing. */
  readonly compiler?: AdmissionCompiler;
  readonly hasParams?: boolean;
}

/** The input of match conditions: they do not see the namespace. */
export type MatchInput = Pick<ExpressionInput, "request" | "params"> &
  Partial<Pick<ExpressionInput, "variables">>;

/** Evaluates match conditions; at once, unless they ask an authorizer that takes time. */
export type MatchConditions = (input: MatchInput) => MatchOutcome | Promise<MatchOutcome>;

/** The conditions of one object share this. */
const budget = 2_500_000;

/** The match conditions of a webhook or of a policy, which are compiled once, when they are first asked. */
export function matchConditions(options: MatchConditionsOptions): MatchConditions {
  const { conditions = [], metrics, owner, ticks, hasParams = false } = options;
  if (conditions.length === 0) return () => ({ matches: true });
  let compiled: readonly AdmissionExpression[] | undefined;
  const compile = (): readonly AdmissionExpression[] => {
    const { compiler = createAdmissionCompiler({ hasVariables: false }) } = options;
    return conditions.map(({ expression: text }) => ({
      text,
      compiled: compiler.compile(text, [boolType], { hasParams, hasAuthorizer: true }),
    }));
  };
  return ({ variables = [], ...input }) => {
    compiled ??= compile();
    const begun = ticks();
    const { operation } = input.request.seen.attributes;
    const decided = (evaluated: Evaluated): MatchOutcome => {
      const { outcome, errors } = decide(evaluated, options);
      for (let i = 0; i < errors; i++) metrics.failed(owner, operation);
      if (!isMatch(outcome)) metrics.took(owner, operation, (ticks() - begun) / 1000);
      if ("matches" in outcome && !outcome.matches) metrics.excluded(owner, operation);
      return outcome;
    };
    const scope = { ...input, variables, hasAuthorizer: true };
    const evaluated = evaluateExpressions(compiled, scope, { budget, ticks });
    return evaluated instanceof Promise ? evaluated.then(decided) : decided(evaluated);
  };
}

const isMatch = (outcome: MatchOutcome): boolean => "matches" in outcome && outcome.matches;

/** One condition that is false decides, whatever became of others. */
function decide(
  evaluated: Evaluated,
  { failurePolicy = "Fail" }: Pick<MatchConditionsOptions, "failurePolicy">,
): { readonly outcome: MatchOutcome; readonly errors: number } {
  const failed = (error: string): MatchOutcome =>
    failurePolicy === "Ignore" ? { matches: false } : { error };
  if ("exhausted" in evaluated) return { outcome: failed(evaluated.exhausted), errors: 0 };
  const errors: string[] = [];
  for (const result of evaluated.results) {
    if ("error" in result) errors.push(result.error);
    else if (result.value === false) return { outcome: { matches: false }, errors: errors.length };
  }
  const outcome = errors.length > 0 ? failed(errorText(errors)) : { matches: true as const };
  return { outcome, errors: errors.length };
}
