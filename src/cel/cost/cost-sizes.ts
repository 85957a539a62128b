import type { CelType } from "../checking/cel-type.ts";
import type { ComprehensionExpr, Expr, Literal } from "../syntax/ast.ts";
import { type Estimate, fixed } from "./estimate.ts";

/** Whether a fold only gives a value a name. */
export function isBinding({ range, condition, accumulator }: ComprehensionExpr): boolean {
  return (
    range.kind === "list" &&
    range.elements.length === 0 &&
    condition.kind === "literal" &&
    condition.value.value === false &&
    accumulator !== "__result__"
  );
}

/** The size that can be seen in the text. */
export function sizeOfText(expr: Expr): Estimate | undefined {
  if (expr.kind === "list") return fixed(expr.elements.length);
  if (expr.kind === "map") return fixed(expr.entries.length);
  return expr.kind === "literal" ? fixed(sizeOfLiteral(expr.value)) : undefined;
}

function sizeOfLiteral(literal: Literal): number {
  if (literal.type === "string") return Array.from(literal.value).length;
  return literal.type === "bytes" ? literal.value.length : 1;
}

/** Whether all values of a type are of one size. */
export function isScalar({ kind, name, parameters }: CelType): boolean {
  const [first] = parameters;
  if (kind === "opaque" && name === "optional_type" && first !== undefined) return isScalar(first);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(kind);
}
