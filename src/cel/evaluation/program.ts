import type { CheckedExpression } from "../checking/check-expression.ts";
import { type CelValue, isError } from "../values/cel-value.ts";
import { Panic } from "../values/panic.ts";
import { CostExceeded, Frame, type Run, type Variables } from "./frame.ts";
import { planExpression } from "./plan.ts";
import { PlanError } from "./planned.ts";

/** What came of evaluating an expression, and what that cost. */
export type Evaluation =
  | { readonly value: CelValue; readonly cost: number }
  | {
      /** Why there is no value, as clients read it. */
      readonly error: string;
      /** Whether the evaluation was given up because it costs too much. */
      readonly isTooExpensive: boolean;
      readonly cost: number;
    };

/** An expression that can be evaluated, again and again. */
export interface Program {
  evaluate(variables: Variables, limits?: { readonly costLimit?: number }): Evaluation;
}

/** One expression may cost so much. */
export const perCallLimit = 1_000_000;

/** Makes a program of a checked expression; or tells why none can be made. */
export function plan(checked: CheckedExpression): Program | { readonly error: string } {
  try {
    return programOf(planExpression(checked));
  } catch (fault) {
    if (fault instanceof PlanError) return { error: fault.message };
    throw fault;
  }
}

const programOf = (run: Run): Program => ({
  evaluate: (variables, { costLimit = perCallLimit } = {}) => {
    const frame = new Frame(variables, costLimit);
    try {
      const value = run(frame);
      const { cost } = frame;
      return isError(value)
        ? { error: value.message, isTooExpensive: false, cost }
        : { value, cost };
    } catch (fault) {
      const isTooExpensive = fault instanceof CostExceeded;
      if (!isTooExpensive && !(fault instanceof Panic)) throw fault;
      return { error: fault.message, isTooExpensive, cost: frame.cost };
    }
  },
});
