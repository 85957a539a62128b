import type { CheckedExpression } from "../checking/check-expression.ts";
import type { CallExpr, ComprehensionExpr, Expr, Literal, SelectExpr } from "../syntax/ast.ts";
import {
  CelMap,
  CelOptional,
  type CelValue,
  EvaluationError,
  isList,
  UnsupportedError,
} from "./cel-value.ts";
import { functions, hasMember, membersOf, valueAt } from "./functions.ts";

/** The value of each variable. */
export type Variables = Readonly<Record<string, CelValue>>;

/** An evaluation takes at most so many steps. */
const maxSteps = 1_000_000;

/**
 * Returns the value of an expression; throws an EvaluationError if it has none, and an UnsupportedError if
 * it uses more of the language than is evaluated: bytes, unsigned numbers, times, addresses, messages, and
 * functions that are not in `functions`.
 */
export function evaluate({ expr }: CheckedExpression, variables: Variables): CelValue {
  return new Evaluation(new Map(Object.entries(variables))).value(expr);
}

class Evaluation {
  /** The innermost variable of each name, or why it has no value. */
  readonly #variables: Map<string, CelValue | EvaluationError>;
  #steps = 0;

  constructor(variables: Map<string, CelValue | EvaluationError>) {
    this.#variables = variables;
  }

  value(expr: Expr): CelValue {
    this.#steps++;
    if (this.#steps > maxSteps)
      throw new EvaluationError("operation cancelled: actual cost limit exceeded");
    switch (expr.kind) {
      case "literal":
        return literalValue(expr.value);
      case "ident":
        return this.#variable(expr.name);
      case "select":
        return this.#selected(expr);
      case "call":
        return this.#called(expr);
      case "list":
        return expr.elements.flatMap((element, i) => [
          ...present(this.value(element), expr.optional.includes(i)),
        ]);
      case "map":
        return new CelMap(
          expr.entries.flatMap(({ key, value, optional }) =>
            present(this.value(value), optional).map((one): readonly [CelValue, CelValue] => [
              this.value(key),
              one,
            ]),
          ),
        );
      case "comprehension":
        return this.#folded(expr);
      default:
        throw new UnsupportedError(expr.kind === "struct" ? "a message" : "an empty expression");
    }
  }

  #variable(name: string): CelValue {
    const value = this.#variables.get(name);
    if (value === undefined) throw new UnsupportedError(`the name ${name}`);
    if (value instanceof EvaluationError) throw value;
    return value;
  }

  #selected({ operand, field, testOnly }: SelectExpr): CelValue {
    const container = this.value(operand);
    return testOnly ? hasMember(container, field) : valueAt(container, field);
  }

  #called({ function: name, target, args }: CallExpr): CelValue {
    const operands = target ? [target, ...args] : args;
    const lazy = this.#calledLazily(name, operands);
    if (lazy !== undefined) return lazy;
    const run = functions.get(name);
    if (!run || operands.length > run.length) throw new UnsupportedError(`the function ${name}`);
    const [a = null, b = null] = operands.map((one) => this.value(one));
    return run(a, b);
  }

  /** Operators that do not need all of their operands; undefined for all other functions. */
  #calledLazily(name: string, [first, second, third]: readonly Expr[]): CelValue | undefined {
    if (!first) return undefined;
    if (name === "@not_strictly_false") return this.#isNotFalse(first);
    if (!second) return undefined;
    if (name === "_&&_") return this.#decided(false, first, second);
    if (name === "_||_") return this.#decided(true, first, second);
    if (name === "_?_:_" && third) return this.value(this.#condition(first) ? second : third);
    if (name !== "or" && name !== "orValue") return undefined;
    const optional = this.value(first);
    if (!(optional instanceof CelOptional)) throw new EvaluationError("no such overload");
    if (optional.value === undefined) return this.value(second);
    return name === "or" ? optional : optional.value;
  }

  /** `&&` and `||`: one side can decide alone, even if the other has no value. */
  #decided(decisive: boolean, left: Expr, right: Expr): boolean {
    let fault: unknown;
    for (const side of [left, right])
      try {
        if (this.#condition(side) === decisive) return decisive;
      } catch (error) {
        if (!(error instanceof EvaluationError)) throw error;
        fault ??= error;
      }
    if (fault !== undefined) throw fault;
    return !decisive;
  }

  #isNotFalse(expr: Expr): boolean {
    try {
      return this.value(expr) !== false;
    } catch (error) {
      if (error instanceof EvaluationError) return true;
      throw error;
    }
  }

  #condition(expr: Expr): boolean {
    const value = this.value(expr);
    if (typeof value === "boolean") return value;
    throw new EvaluationError("no such overload");
  }

  #folded(fold: ComprehensionExpr): CelValue {
    const { variable, variable2, accumulator } = fold;
    const range = this.value(fold.range);
    const names = variable2 === undefined ? [variable] : [variable, variable2];
    const hidden = [accumulator, ...names].map(
      (name) => [name, this.#variables.get(name)] as const,
    );
    try {
      this.#assign(accumulator, fold.initial);
      for (const [key, value] of membersOf(range)) {
        // A single variable is an element of a list, but a key of a map.
        this.#variables.set(variable, variable2 === undefined && isList(range) ? value : key);
        if (variable2 !== undefined) this.#variables.set(variable2, value);
        if (this.value(fold.condition) === false) break;
        this.#assign(accumulator, fold.step);
      }
      return this.value(fold.result);
    } finally {
      for (const [name, value] of hidden)
        if (value === undefined) this.#variables.delete(name);
        else this.#variables.set(name, value);
    }
  }

  /** A variable may hold why it has no value; that matters only where it is used. */
  #assign(name: string, expr: Expr): void {
    try {
      this.#variables.set(name, this.value(expr));
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      this.#variables.set(name, error);
    }
  }
}

/** An element of a list or map that may be left out. */
function present(value: CelValue, isOptional: boolean): readonly CelValue[] {
  if (!isOptional) return [value];
  if (!(value instanceof CelOptional)) throw new EvaluationError("no such overload");
  return value.value === undefined ? [] : [value.value];
}

function literalValue(literal: Literal): CelValue {
  if (literal.type === "bytes" || literal.type === "uint")
    throw new UnsupportedError(`a literal of type ${literal.type}`);
  return literal.value;
}
