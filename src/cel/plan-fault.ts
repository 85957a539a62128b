import type { CheckedExpression } from "./checking/check-expression.ts";
import { plan } from "./evaluation/program.ts";

/**
 * Why no program can be made of an expression whose types fit: a constant that cannot be converted,
 * or a constant that is no regular expression where one is looked for.
 */
export function planFault(checked: CheckedExpression): string | undefined {
  const planned = plan(checked);
  return "error" in planned ? planned.error : undefined;
}
