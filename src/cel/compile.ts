import { type CheckedExpression, check } from "./checking/check-expression.ts";
import type { Environment } from "./checking/environment.ts";
import { validateLiterals } from "./checking/validate-literals.ts";
import { parse } from "./syntax/parse.ts";
import { showProblems } from "./syntax/problem.ts";

/** Reads and checks an expression; or tells what is wrong with it, as a client reads it. */
export function compile(
  environment: Environment,
  text: string,
): CheckedExpression | { readonly error: string } {
  const parsed = parse(text, environment.macros);
  if ("problems" in parsed) return { error: showProblems(parsed.source, parsed.problems) };
  const checked = check(environment, parsed);
  const problems = "problems" in checked ? checked.problems : validateLiterals(checked);
  if (problems.length > 0) return { error: showProblems(parsed.source, problems) };
  return checked as CheckedExpression;
}
