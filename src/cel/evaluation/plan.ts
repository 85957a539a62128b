import type { CheckedExpression } from "../checking/check-expression.ts";
import type { Expr, SelectExpr } from "../syntax/ast.ts";
import { CelError, CelTypeValue } from "../values/cel-value.ts";
import { literalValue } from "../values/literal-value.ts";
import { addQualifier } from "./attribute.ts";
import type { Run } from "./frame.ts";
import { planCall } from "./plan-call.ts";
import { planList, planMap, planStruct } from "./plan-container.ts";
import { planFold } from "./plan-fold.ts";
import { attributeOf, PlanError, type Planned, type Planning, runOf } from "./planned.ts";

/** Makes what evaluates an expression. */
export function planExpression({ expr, ...checked }: CheckedExpression): Run {
  const scopes: ReadonlyMap<string, Run>[] = [];
  let slots = 0;
  const planning: Planning = {
    ...checked,
    plan: (part) => planPart(planning, part, find),
    runOf: (part) => runOf(planning.plan(part)),
    newSlot: () => slots++,
    within: (names, run) => {
      scopes.push(names);
      try {
        return run();
      } finally {
        scopes.pop();
      }
    },
  };
  return planning.runOf(expr);

  function find(name: string): Run {
    for (const scope of scopes.toReversed()) {
      const found = scope.get(name);
      if (found !== undefined) return found;
    }
    const unknown = new CelError(`no such attribute(s): ${name}`);
    return (frame) => {
      const value = frame.variables(name);
      return value === undefined ? unknown : value;
    };
  }
}

function planPart(planning: Planning, expr: Expr, find: (name: string) => Run): Planned {
  switch (expr.kind) {
    case "literal":
      return { kind: "constant", value: literalValue(expr.value) };
    case "ident":
      return planName(planning, expr, find);
    case "select":
      return planSelect(planning, expr);
    case "call":
      return planCall(planning, expr);
    case "list":
      return planList(planning, expr);
    case "map":
      return planMap(planning, expr);
    case "struct":
      return planStruct(planning, expr);
    case "comprehension":
      return { kind: "step", run: planFold(planning, expr) };
    case "unspecified":
      throw new PlanError("unsupported expr: ");
  }
}

function planName(
  { types }: Planning,
  { id, name }: { readonly id: number; readonly name: string },
  find: (name: string) => Run,
): Planned {
  const type = types.get(id);
  if (type?.kind === "type") {
    return { kind: "constant", value: new CelTypeValue(type.parameters[0]?.name ?? name) };
  }
  return {
    kind: "attribute",
    attribute: { kind: "value", root: find(name), qualifiers: [] },
    isTest: false,
  };
}

function planSelect(planning: Planning, { operand, field, testOnly }: SelectExpr): Planned {
  const attribute = attributeOf(planning.plan(operand));
  addQualifier(attribute, { key: () => field, isOptional: false, isTest: testOnly });
  return { kind: "attribute", attribute, isTest: testOnly };
}
