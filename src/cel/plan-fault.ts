import { regexpFault } from "../schema/regexp/go-regexp.ts";
import type { CheckedExpression } from "./checking/check-expression.ts";
import { type Constant, convertConstant } from "./checking/constant.ts";
import { type CallExpr, childrenOf, type Expr } from "./syntax/ast.ts";

/**
 * Why no program can be made of an expression whose types fit: a constant that cannot be converted,
 * or a constant that is no regular expression where one is looked for.
 */
export function planFault({ expr }: CheckedExpression): string | undefined {
  const planned = plan(expr);
  return planned !== undefined && "error" in planned ? planned.error : undefined;
}

/** The value of an expression, if it is known, or why there is none. */
type Planned = Constant | { readonly error: string } | undefined;

function plan(expr: Expr): Planned {
  const parts = partsOf(expr);
  const values: Planned[] = [];
  for (const part of parts) {
    const value = plan(part);
    if (value !== undefined && "error" in value) return value;
    values.push(value);
  }
  if (expr.kind === "literal") return expr.value;
  return expr.kind === "call" ? planCall(expr, values as (Constant | undefined)[]) : undefined;
}

function planCall(call: CallExpr, values: readonly (Constant | undefined)[]): Planned {
  const [first, second] = values;
  if (conversions.has(call.function) && values.length === 1 && first !== undefined) {
    return convertConstant(call.function, first);
  }
  if (!searches.has(call.function) || second?.type !== "string") return undefined;
  const fault = regexpFault(second.value);
  return fault === undefined ? undefined : { error: fault };
}

/** The parts of an expression in the order in which they are planned. */
function partsOf(expr: Expr): readonly Expr[] {
  if (expr.kind !== "comprehension") return childrenOf(expr);
  return [expr.initial, expr.range, expr.condition, expr.step, expr.result];
}

const conversions: ReadonlySet<string> = new Set(
  "bool bytes double duration dyn int string timestamp uint".split(" "),
);
const searches: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);
