import type { CallExpr } from "../syntax/ast.ts";
import { addQualifier, resolverOf } from "./attribute.ts";
import { attributeOf, PlanError, type Planned, type Planning, runOf } from "./planned.ts";

/** `a[b]`, `a[?b]` and `a.?b`: another step. */
export function planIndex(planning: Planning, { args, function: name }: CallExpr): Planned {
  const [operand, index] = args.map((arg) => planning.plan(arg));
  if (operand === undefined || index === undefined) throw new PlanError("no such overload: _[_]");
  const attribute = attributeOf(operand);
  const key = index.kind === "attribute" ? resolverOf(index.attribute) : runOf(index);
  addQualifier(attribute, { key, isOptional: name !== "_[_]", isTest: false });
  return { kind: "attribute", attribute, isTest: false };
}
