import type { ComprehensionExpr, Expr, Literal, MapEntry } from "./ast.ts";
import { GaveUp } from "./recovery.ts";

/** The name of the variable that a fold gathers its value in: no text can spell it. */
export const accumulatorName = "@result";

/** Gives out the ids of expressions, and knows the offset of each. */
export interface Ids {
  readonly offsets: Map<number, number>;
  /** A new id for what stands at an offset; -1 for what stands nowhere. */
  next(offset: number | undefined): number;
  forget(id: number): void;
}

/** Macros in macros multiply: of more expressions than this nobody wants to know the types. */
const maxExpressions = 500_000;

export function createIds(): Ids {
  const offsets = new Map<number, number>();
  let last = 0;
  return {
    offsets,
    next: (offset) => {
      if (offset === undefined) return -1;
      if (last >= maxExpressions) throw new GaveUp("max recursion depth exceeded");
      offsets.set(++last, offset);
      return last;
    },
    forget: (id) => {
      offsets.delete(id);
      if (id === last) last--;
    },
  };
}

/** Makes the expressions that a macro is replaced by: all of them stand where the macro does. */
export interface ExprFactory {
  literal(value: Literal): Expr;
  ident(name: string): Expr;
  accumulator(): Expr;
  list(...elements: Expr[]): Expr;
  map(): Expr;
  call(name: string, ...args: Expr[]): Expr;
  methodCall(name: string, target: Expr, ...args: Expr[]): Expr;
  presenceTest(operand: Expr, field: string): Expr;
  comprehension(parts: Omit<ComprehensionExpr, "kind" | "id">): Expr;
  /** The same expression once more, with ids of its own, each where the original stands. */
  copy(expr: Expr): Expr;
}

export function createExprFactory(ids: Ids, macroId: number): ExprFactory {
  const next = (): number => ids.next(ids.offsets.get(macroId) ?? -1);
  const ident = (name: string): Expr => ({ kind: "ident", id: next(), name });
  return {
    literal: (value) => ({ kind: "literal", id: next(), value }),
    ident,
    accumulator: () => ident(accumulatorName),
    list: (...elements) => ({ kind: "list", id: next(), elements, optional: [] }),
    map: () => ({ kind: "map", id: next(), entries: [] }),
    call: (name, ...args) => ({ kind: "call", id: next(), function: name, args }),
    methodCall: (name, target, ...args) => ({
      kind: "call",
      id: next(),
      function: name,
      target,
      args,
    }),
    presenceTest: (operand, field) => ({
      kind: "select",
      id: next(),
      operand,
      field,
      testOnly: true,
    }),
    comprehension: (parts) => ({ kind: "comprehension", id: next(), ...parts }),
    copy,
  };

  function copy(expr: Expr): Expr {
    const id = ids.next(ids.offsets.get(expr.id) ?? 0);
    switch (expr.kind) {
      case "select":
        return { ...expr, id, operand: copy(expr.operand) };
      case "call": {
        const args = expr.args.map(copy);
        return expr.target === undefined
          ? { ...expr, id, args }
          : { ...expr, id, args, target: copy(expr.target) };
      }
      case "list":
        return { ...expr, id, elements: expr.elements.map(copy) };
      case "map":
        return { ...expr, id, entries: expr.entries.map(copyEntry) };
      case "struct":
        return {
          ...expr,
          id,
          fields: expr.fields.map((field) => ({
            ...field,
            id: next(),
            value: copy(field.value),
          })),
        };
      case "comprehension":
        return {
          ...expr,
          id,
          range: copy(expr.range),
          initial: copy(expr.initial),
          condition: copy(expr.condition),
          step: copy(expr.step),
          result: copy(expr.result),
        };
      default:
        return { ...expr, id };
    }
  }

  function copyEntry(entry: MapEntry): MapEntry {
    return { ...entry, id: next(), key: copy(entry.key), value: copy(entry.value) };
  }
}
