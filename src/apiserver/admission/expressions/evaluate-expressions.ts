import type { CompiledExpression } from "../../../api/admissionregistration/v1/admission-expression.ts";
import { settle } from "../../../cel/evaluation/pending.ts";
import { CelError, type CelValue } from "../../../cel/values/cel-value.ts";
import { LazyMap } from "../../../cel/values/lazy-map.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { RequestVariables } from "./request-variables.ts";

/** An expression of a policy or of a webhook. */
export interface AdmissionExpression {
  readonly text: string;
  readonly compiled: CompiledExpression;
}

/** A value that the expressions of a policy share. */
export interface SharedVariable {
  readonly name: string;
  readonly compiled: CompiledExpression;
}

/** What expressions see; a part that is not given is null, and without an authorizer there is none. */
export interface ExpressionInput {
  readonly request: RequestVariables;
  readonly params?: CelValue;
  readonly namespace?: CelValue;
  readonly hasAuthorizer: boolean;
  readonly variables: readonly SharedVariable[];
}

export interface EvaluationLimits {
  /** What all expressions may cost together. */
  readonly budget: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
}

/** The value of an expression, or the reason why it has none. */
export type ExpressionResult = (
  | { readonly value: CelValue }
  | {
      readonly error: string;
    }
) & { readonly seconds: number };

/** The results in the order of the expressions, and the rest of the budget; or the error when it is used up. */
export type Evaluated =
  | { readonly results: readonly ExpressionResult[]; readonly budget: number }
  | { readonly exhausted: string };

/** Evaluates expressions in order. What they share is computed once, at most, and each pays for what it needs first. */
export function evaluateExpressions(
  expressions: readonly AdmissionExpression[],
  input: ExpressionInput,
  limits: EvaluationLimits,
): Evaluated | Promise<Evaluated> {
  return settle(() => evaluateAll(expressions, input, limits));
}

function evaluateAll(
  expressions: readonly AdmissionExpression[],
  input: ExpressionInput,
  limits: EvaluationLimits,
): Evaluated {
  const scope = new Scope(input);
  const results: ExpressionResult[] = [];
  let { budget } = limits;
  for (const { text, compiled } of expressions) {
    if (!("program" in compiled)) {
      results.push({ error: `compilation error: ${compilationFault(compiled)}`, seconds: 0 });
      continue;
    }
    const begun = limits.ticks();
    const evaluated = compiled.program.evaluate(scope.find);
    const seconds = (limits.ticks() - begun) / 1000;
    budget -= evaluated.cost + scope.takeCost();
    if (budget < 0) return { exhausted };
    results.push(
      "error" in evaluated
        ? { error: `expression '${text}' resulted in error: ${evaluated.error}`, seconds }
        : { value: evaluated.value, seconds },
    );
  }
  return { results, budget };
}

const exhausted =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** Why an expression has no program. */
export const compilationFault = (
  compiled: Exclude<CompiledExpression, { readonly program: unknown }>,
): string => ("invalid" in compiled ? compiled.invalid : compiled.internal);

/** The names that expressions know while they are evaluated. */
class Scope {
  readonly #input: ExpressionInput;
  readonly #variables: LazyMap;
  /** What the evaluation of variables has cost since it was taken. */
  #cost = 0;

  constructor(input: ExpressionInput) {
    this.#input = input;
    this.#variables = new LazyMap(
      new Map(input.variables.map((variable) => [variable.name, () => this.#valueOf(variable)])),
    );
  }

  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  readonly find = (name: string): CelValue | undefined => {
    const { request, params = null, namespace = null, hasAuthorizer } = this.#input;
    switch (name) {
      case "object":
        return request.object;
      case "oldObject":
        return request.oldObject;
      case "params":
        return params;
      case "request":
        return request.request;
      case "namespaceObject":
        return namespace;
      case "variables":
        return this.#variables;
      case "authorizer":
        return hasAuthorizer ? request.authorizer : undefined;
      case "authorizer.requestResource":
        return hasAuthorizer ? request.requestResource : undefined;
      default:
        return undefined;
    }
  };

  #valueOf({ name, compiled }: SharedVariable): CelValue {
    const what = `composited variable ${quote(name)} fails to`;
    if (!("program" in compiled))
      return new CelError(`${what} compile: ${compilationFault(compiled)}`);
    const evaluated = compiled.program.evaluate(this.find);
    this.#cost += evaluated.cost;
    return "error" in evaluated
      ? new CelError(`${what} evaluate: ${evaluated.error}`)
      : evaluated.value;
  }
}
