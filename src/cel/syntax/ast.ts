/** A constant. Whole numbers are `bigint`; `type` tells a signed from an unsigned one. */
export type Literal =
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int" | "uint"; readonly value: bigint }
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bytes"; readonly value: Uint8Array }
  | { readonly type: "null"; readonly value: null };

/** An expression. The `id` tells it from every other one in the same text. */
export type Expr =
  | { readonly kind: "unspecified"; readonly id: number }
  | { readonly kind: "literal"; readonly id: number; readonly value: Literal }
  | { readonly kind: "ident"; readonly id: number; readonly name: string }
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;

/** A field of a value, or with `testOnly` whether it has that field. */
export interface SelectExpr {
  readonly kind: "select";
  readonly id: number;
  readonly operand: Expr;
  readonly field: string;
  readonly testOnly: boolean;
}

/** A call of a function, of an operator, or with `target` of a method. */
export interface CallExpr {
  readonly kind: "call";
  readonly id: number;
  readonly function: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
}

/** A list. The elements at the `optional` places are left out if they have no value. */
export interface ListExpr {
  readonly kind: "list";
  readonly id: number;
  readonly elements: readonly Expr[];
  readonly optional: readonly number[];
}

export interface MapExpr {
  readonly kind: "map";
  readonly id: number;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** A message of a type, with fields. */
export interface StructExpr {
  readonly kind: "struct";
  readonly id: number;
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

export interface StructField {
  readonly id: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/**
 * A fold: for each element of `range`, while `condition` holds, `step` becomes the new value of
 * `accumulator`; at the end `result` is the value of it all. With `variable2`, `variable` is the
 * index or key.
 */
export interface ComprehensionExpr {
  readonly kind: "comprehension";
  readonly id: number;
  readonly range: Expr;
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** The expressions right below one, in the order in which they stand. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}

/** The name that a chain of identifiers spells, `a.b.c`; `undefined` if it is none. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.testOnly) return undefined;
  const qualifier = qualifiedName(expr.operand);
  return qualifier === undefined ? undefined : `${qualifier}.${expr.field}`;
}
