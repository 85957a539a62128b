import type { Expr } from "../syntax/ast.ts";
import type { ParsedExpression } from "../syntax/parse.ts";
import type { Problem } from "../syntax/problem.ts";
import { locate, noLocation } from "../syntax/source.ts";
import { createSubstitutions, substitute } from "./assignable.ts";
import { type CelType, errorType, showType, typeParameter } from "./cel-type.ts";
import type { Environment } from "./environment.ts";

/** What a name or a call means: a variable or type, or the ways to call a function that fit. */
export interface Reference {
  readonly name?: string;
  readonly overloads: readonly string[];
}

/** A check of the types of an expression that is under way. */
export interface Checking {
  readonly environment: Environment;
  readonly types: Map<number, CelType>;
  readonly references: Map<number, Reference>;
  readonly problems: readonly Problem[];
  /** Checks an expression and all in it; names in it are written out in what it returns. */
  check(expr: Expr): Expr;
  fail(id: number, message: string): void;
  typeOf(expr: Expr): CelType;
  /** Whether values of a type may be where another is expected; if so, remembers what that takes. */
  isAssignable(from: readonly CelType[], to: readonly CelType[]): boolean;
  /** A type with what is known of its parameters; at the end, dyn for those of which nothing is. */
  resolve(type: CelType, isFinal?: boolean): CelType;
  newTypeParameter(): CelType;
  /** The type of a variable, or of a name that is a type. */
  findName(name: string): { name: string; type: CelType } | undefined;
  /** Runs something while variables have types of their own. */
  within<T>(variables: Readonly<Record<string, CelType>>, run: () => T): T;
  expectType(expr: Expr, type: CelType): void;
}

export function createChecking(
  environment: Environment,
  { source, offsets }: ParsedExpression,
  checkExpr: (checking: Checking, expr: Expr) => Expr,
): Checking {
  const types = new Map<number, CelType>();
  const references = new Map<number, Reference>();
  const problems: Problem[] = [];
  const scopes: ReadonlyMap<string, CelType>[] = [environment.variables];
  const { known, assign: isAssignable } = createSubstitutions();
  let typeParameters = 0;

  const checking: Checking = {
    environment,
    check: (expr) => checkExpr(checking, expr),
    types,
    references,
    problems,
    fail,
    typeOf: typeOfExpr,
    isAssignable,
    resolve: (type, isFinal = false) => substitute(known, type, isFinal),
    newTypeParameter: () => typeParameter(`_var${typeParameters++}`),
    findName,
    within,
    expectType: (expr, type) => {
      if (isAssignable([type], [typeOfExpr(expr)])) return;
      fail(expr.id, `expected type '${showType(type)}' but found '${showType(typeOfExpr(expr))}'`);
    },
  };
  return checking;

  function fail(id: number, message: string): void {
    const offset = offsets.get(id);
    const location = offset === undefined ? noLocation : locate(source, offset);
    problems.push({ location, message });
  }

  function typeOfExpr(expr: Expr): CelType {
    return types.get(expr.id) ?? errorType;
  }

  function findName(written: string): { name: string; type: CelType } | undefined {
    const name = written.startsWith(".") ? written.slice(1) : written;
    for (const scope of scopes.toReversed()) {
      const type = scope.get(name);
      if (type !== undefined) return { name, type };
    }
    const type = environment.findType(name);
    return type && { name, type };
  }

  function within<T>(variables: Readonly<Record<string, CelType>>, run: () => T): T {
    scopes.push(new Map(Object.entries(variables)));
    try {
      return run();
    } finally {
      scopes.pop();
    }
  }
}
