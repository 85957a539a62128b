import { type Expr, type Literal, qualifiedName } from "../syntax/ast.ts";
import type { ParsedExpression } from "../syntax/parse.ts";
import type { Problem } from "../syntax/problem.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  errorType,
  intType,
  nullType,
  stringType,
  uintType,
} from "./cel-type.ts";
import { checkCall } from "./check-call.ts";
import { checkComprehension } from "./check-comprehension.ts";
import { typeOfField } from "./check-field.ts";
import { checkList, checkMap, checkStruct } from "./check-literals.ts";
import { type Checking, createChecking, type Reference } from "./checking.ts";
import type { Environment } from "./environment.ts";

/** An expression whose types are known, with what its names and calls mean. */
export interface CheckedExpression extends ParsedExpression {
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
  /** The type of the whole. */
  readonly type: CelType;
  /** What its names mean. */
  readonly environment: Environment;
}

/** Checks the types of an expression; or tells what does not fit. */
export function check(
  environment: Environment,
  parsed: ParsedExpression,
): CheckedExpression | { readonly problems: readonly Problem[] } {
  const checking = createChecking(environment, parsed, checkExpr);
  const expr = checking.check(parsed.expr);
  if (checking.problems.length > 0) return { problems: checking.problems };
  const { references } = checking;
  const types = new Map(
    [...checking.types].map(([id, type]) => [id, checking.resolve(type, true)] as const),
  );
  const type = types.get(expr.id) ?? errorType;
  return { ...parsed, expr, types, references, type, environment };
}

function checkExpr(checking: Checking, expr: Expr): Expr {
  switch (expr.kind) {
    case "literal":
      checking.types.set(expr.id, literalTypes[expr.value.type]);
      return expr;
    case "ident":
      return checkIdent(checking, expr.id, expr.name);
    case "select":
      return checkSelect(checking, expr);
    case "call":
      return checkCall(checking, expr);
    case "list":
      return checkList(checking, expr);
    case "map":
      return checkMap(checking, expr);
    case "struct":
      return checkStruct(checking, expr);
    case "comprehension":
      return checkComprehension(checking, expr);
    case "unspecified":
      checking.fail(expr.id, "unexpected unspecified type: ");
      return expr;
  }
}

const literalTypes: Readonly<Record<Literal["type"], CelType>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  int: intType,
  null: nullType,
  string: stringType,
  uint: uintType,
};

function checkIdent(checking: Checking, id: number, name: string): Expr {
  const found = checking.findName(name);
  checking.types.set(id, found?.type ?? errorType);
  if (found === undefined) {
    checking.fail(id, `undeclared reference to '${name}' (in container '')`);
    return { kind: "ident", id, name };
  }
  checking.references.set(id, { name: found.name, overloads: [] });
  return { kind: "ident", id, name: found.name };
}

function checkSelect(checking: Checking, expr: Extract<Expr, { kind: "select" }>): Expr {
  const { id, field, testOnly } = expr;
  const qualified = qualifiedName(expr);
  if (qualified !== undefined && checking.findName(qualified) !== undefined) {
    return checkIdent(checking, id, qualified);
  }
  const operand = checking.check(expr.operand);
  const type = typeOfField(checking, { id, operand, field, optional: false });
  checking.types.set(id, testOnly ? boolType : checking.resolve(type));
  return { ...expr, operand };
}
