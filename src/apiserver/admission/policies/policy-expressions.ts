import {
  type AdmissionCompiler,
  createAdmissionCompiler,
  type ExpressionScope,
} from "../../../api/admissionregistration/v1/admission-expression.ts";
import type { ParamKind } from "../../../api/admissionregistration/v1/param.ts";
import type { Variable } from "../../../api/admissionregistration/v1/variable.ts";
import type { CelType } from "../../../cel/checking/cel-type.ts";
import type { MatchConditionMetrics } from "../../metrics/match-condition-metrics.ts";
import type {
  AdmissionExpression,
  ExpressionInput,
  SharedVariable,
} from "../expressions/evaluate-expressions.ts";

/** What a policy is evaluated with. */
export type PolicyInput = Pick<ExpressionInput, "request" | "params" | "namespace">;

export interface EvaluatorSetup {
  readonly conditionMetrics: MatchConditionMetrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
}

/** What the expressions that are evaluated together may cost for one request. */
export const evaluationBudget = 10_000_000;

/** The part of a policy that all its expressions depend on. */
export interface ExpressionsSubject {
  readonly paramKind?: ParamKind | undefined;
  readonly variables?: readonly Variable[] | undefined;
}

/** Compiles the expressions of one policy, which share its variables. */
export class PolicyExpressions {
  readonly compiler: AdmissionCompiler = createAdmissionCompiler({ hasVariables: true });
  readonly variables: readonly SharedVariable[];
  readonly hasParams: boolean;

  constructor({ paramKind, variables = [] }: ExpressionsSubject) {
    this.hasParams = paramKind !== undefined;
    const scope = { hasParams: this.hasParams, hasAuthorizer: true };
    this.variables = variables.map(({ name, expression }) => ({
      name,
      compiled: this.compiler.addVariable(name, expression, scope),
    }));
  }

  compile(
    text: string,
    returns: readonly CelType[],
    scope: Partial<ExpressionScope> = {},
  ): AdmissionExpression {
    const { hasParams } = this;
    const compiled = this.compiler.compile(text, returns, {
      hasParams,
      hasAuthorizer: true,
      ...scope,
    });
    return { text, compiled };
  }
}
