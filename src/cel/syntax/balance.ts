import type { Expr } from "./ast.ts";

/**
 * Joins the terms of `a && b && c` into a tree of calls that is no deeper than it must be; `symbols`
 * are the ids of the operators between them.
 */
export function balance(name: string, terms: readonly Expr[], symbols: readonly number[]): Expr {
  const [first] = terms;
  if (symbols.length === 0 && first !== undefined) return first;
  return join(0, symbols.length - 1);

  function join(low: number, high: number): Expr {
    const middle = Math.floor((low + high + 1) / 2);
    const left = middle === low ? term(middle) : join(low, middle - 1);
    const right = middle === high ? term(middle + 1) : join(middle + 1, high);
    return { kind: "call", id: symbols[middle] ?? -1, function: name, args: [left, right] };
  }

  function term(index: number): Expr {
    return terms[index] ?? { kind: "unspecified", id: -1 };
  }
}
