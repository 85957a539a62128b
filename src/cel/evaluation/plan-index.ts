import type { CallExpr } from "../syntax/ast.ts";
import { goTypeOf } from "../values/go-type.ts";
import { addQualifier, resolverOf } from "./attribute.ts";
import { attributeOf, PlanError, type Planned, type Planning, runOf } from "./planned.ts";
import { isKey } from "./qualify.ts";

/** `a[b]`, `a[?b]` and `a.?b`: another step. */
export function planIndex(planning: Planning, { args, function: name }: CallExpr): Planned {
  const [operand, index] = args.map((arg) => planning.plan(arg));
  if (operand === undefined || index === undefined) throw new PlanError("no such overload: _[_]");
  if (index.kind === "constant" && !isKey(index.value)) {
    throw new PlanError(`invalid qualifier type: ${goTypeOf(index.value)}`);
  }
  const attribute = attributeOf(operand);
  const key = index.kind === "attribute" ? resolverOf(index.attribute) : runOf(index);
  addQualifier(attribute, { key, isOptional: name !== "_[_]", isTest: false });
  return { kind: "attribute", attribute, isTest: false };
}
