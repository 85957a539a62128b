import type { ComprehensionExpr } from "../syntax/ast.ts";
import { boolType, type CelType, dynType, errorType, intType, showType } from "./cel-type.ts";
import type { Checking } from "./checking.ts";

/** Checks a fold: its variables have the types of what it goes over, and of what it begins with. */
export function checkComprehension(checking: Checking, expr: ComprehensionExpr): ComprehensionExpr {
  const range = checking.check(expr.range);
  const initial = checking.check(expr.initial);
  const rangeType = checking.resolve(checking.typeOf(range));
  const accumulated = checking.typeOf(initial);
  return checking.within({ [expr.accumulator]: accumulated }, () => {
    const variables = typeVariables(checking, { ...expr, range }, rangeType);
    const { condition, step } = checking.within(variables, () => {
      const condition = checking.check(expr.condition);
      checking.expectType(condition, boolType);
      const step = checking.check(expr.step);
      checking.expectType(step, accumulated);
      return { condition, step };
    });
    const result = checking.check(expr.result);
    checking.types.set(expr.id, checking.resolve(checking.typeOf(result)));
    return { ...expr, range, initial, condition, step, result };
  });
}

function typeVariables(
  checking: Checking,
  { range, variable, variable2 }: ComprehensionExpr,
  type: CelType,
): Record<string, CelType> {
  const named = (first: CelType, second: CelType): Record<string, CelType> => ({
    [variable]: first,
    ...(variable2 !== undefined && { [variable2]: second }),
  });
  const [first = dynType, second = dynType] = type.parameters;
  switch (type.kind) {
    case "list":
      return variable2 === undefined ? named(first, first) : named(intType, first);
    case "map":
      return named(first, second);
    case "dyn":
    case "error":
    case "parameter":
      checking.isAssignable([dynType], [type]);
      return named(dynType, dynType);
    default:
      checking.fail(
        range.id,
        `expression of type '${showType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
      return named(errorType, errorType);
  }
}
