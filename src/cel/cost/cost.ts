import { type CelType, dynType } from "../checking/cel-type.ts";
import type { CheckedExpression } from "../checking/check-expression.ts";
import type { CallExpr, ComprehensionExpr, Expr } from "../syntax/ast.ts";
import {
  type CallEstimate,
  type CostNode,
  estimateLibraryCall,
  listCost,
  structCost,
} from "./cost-library.ts";
import { isBinding, isScalar, sizeOfText } from "./cost-sizes.ts";
import { estimateStandardCall } from "./cost-standard.ts";
import { add, type Estimate, fixed, multiply, uncountable, union, unknown } from "./estimate.ts";

/** The size of what is at a path, if the one who knows the types of the variables can tell. */
export type SizeEstimator = (path: readonly string[], type: CelType) => Estimate | undefined;

/** How to estimate the cost of an expression: what is known of sizes, and of calls of its own. */
export interface CostOptions {
  readonly sizeOf: SizeEstimator;
  readonly callCost?: (name: string, overload: string) => Estimate | undefined;
}

/** The least and the most that an expression can cost to evaluate. */
export function estimateCost(checked: CheckedExpression, options: CostOptions): Estimate {
  return createCoster(checked, options)(checked.expr);
}

/** How large the keys and the values in a list or map are. */
export interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Estimate;
  readonly value: Estimate;
}

/** What is known of a variable of a fold. */
interface Local {
  readonly path: readonly string[];
  readonly size: Estimate | undefined;
  readonly entry: EntrySize | undefined;
}

const mapCost = 30;

/** How the path goes on to what is at an index. */
const indexSteps: Readonly<Record<string, string>> = { index_list: "@items", index_map: "@values" };

function createCoster(
  { types, references }: CheckedExpression,
  { sizeOf: estimateSize, callCost }: CostOptions,
): (expr: Expr) => Estimate {
  const paths = new Map<number, readonly string[]>();
  const sizes = new Map<number, Estimate>();
  const entrySizes = new Map<number, EntrySize>();
  const locals = new Map<string, Local[]>();
  return cost;

  function cost(expr: Expr): Estimate {
    switch (expr.kind) {
      case "ident":
        paths.set(expr.id, local(expr.name)?.path ?? [expr.name]);
        return fixed(1);
      case "select": {
        const operand = cost(expr.operand);
        if (expr.testOnly) return operand;
        paths.set(expr.id, [...pathOf(expr.operand), expr.field]);
        const isLookup = ["map", "struct", "parameter"].includes(typeOf(expr.operand).kind);
        return isLookup ? add(operand, fixed(1)) : operand;
      }
      case "call":
        return costCall(expr);
      case "list": {
        const sum = add(...expr.elements.map(cost), fixed(listCost));
        const value = expr.elements.map(knownSize).reduce(union, startOf(expr.elements));
        entrySizes.set(expr.id, { container: "list", key: fixed(1), value });
        return sum;
      }
      case "map": {
        const sum = expr.entries.flatMap(({ key, value }) => [cost(key), cost(value)]);
        const start = startOf(expr.entries);
        const key = expr.entries.map((entry) => knownSize(entry.key)).reduce(union, start);
        const value = expr.entries.map((entry) => knownSize(entry.value)).reduce(union, start);
        entrySizes.set(expr.id, { container: "map", key, value });
        return add(...sum, fixed(mapCost));
      }
      case "struct":
        return add(...expr.fields.map(({ value }) => cost(value)), fixed(structCost));
      case "comprehension":
        return isBinding(expr) ? costBinding(expr) : costFold(expr);
      default:
        return fixed(0);
    }
  }

  function costCall(call: CallExpr): Estimate {
    const [first] = call.args;
    if (call.function === "dyn" && first !== undefined) return costDyn(call, first);
    const argCosts: Estimate[] = [];
    const args = call.args.map((arg) => {
      argCosts.push(cost(arg));
      return nodeOf(arg);
    });
    const overloads = references.get(call.id)?.overloads ?? [];
    if (overloads.length === 0) return fixed(0);
    const targetCost = call.target === undefined ? fixed(0) : cost(call.target);
    const target = call.target && nodeOf(call.target);
    const estimates = overloads.map((overload) =>
      costOverload(call, { overload, target, args, argCosts }),
    );
    let size: Estimate | undefined;
    for (const [index, estimate] of estimates.entries()) {
      if (estimate.size !== undefined) size = size ? union(size, estimate.size) : estimate.size;
      size = sizeAtIndex(call, overloads[index] ?? "", size) ?? sizeOf(call);
    }
    setSize(call, size);
    return add(targetCost, estimates.map((estimate) => estimate.cost).reduce(union, never));
  }

  /** Of what is at an index the size is that of the entries, and it has a path of its own. */
  function sizeAtIndex(
    call: CallExpr,
    overload: string,
    size: Estimate | undefined,
  ): Estimate | undefined {
    const [container] = call.args;
    const step = indexSteps[overload];
    if (container === undefined || step === undefined) return size;
    paths.set(call.id, [...pathOf(container), step]);
    return entryOf(container)?.value;
  }

  function costDyn(call: CallExpr, argument: Expr): Estimate {
    const inner = cost(argument);
    copySizes(call, argument);
    return add(fixed(1), inner);
  }

  function costOverload(
    call: CallExpr,
    {
      overload,
      target,
      args,
      argCosts,
    }: {
      overload: string;
      target: CostNode | undefined;
      args: readonly CostNode[];
      argCosts: readonly Estimate[];
    },
  ): CallEstimate {
    const own = callCost?.(call.function, overload);
    const library =
      own === undefined
        ? estimateLibraryCall({
            function: call.function,
            overload,
            target,
            args,
            sizeOf: (node) => node.size ?? estimateSize(node.path, node.type) ?? unknown,
          })
        : { cost: own };
    if (library !== undefined) return { ...library, cost: add(library.cost, ...argCosts) };
    const standard = estimateStandardCall({ overload, target, args, argCosts, entryOf });
    if (standard.entry !== undefined) entrySizes.set(call.id, standard.entry);
    return standard;
  }

  function costFold(fold: ComprehensionExpr): Estimate {
    const start = add(cost(fold.range), cost(fold.initial));
    push(fold.accumulator, {
      path: pathOf(fold.initial),
      size: sizeOf(fold.initial),
      entry: entryOf(fold.initial),
    });
    const variables = variablesOf(fold);
    for (const [name, variable] of variables) push(name, variable);
    const round = add(cost(fold.condition), cost(fold.step));
    for (const [name] of variables) pop(name);
    const result = cost(fold.result);
    pop(fold.accumulator);
    const rounds = knownSize(fold.range);
    if (fold.initial.kind === "literal") setSize(fold, sizeOf(fold.initial));
    if (fold.initial.kind === "list" || fold.initial.kind === "map") {
      setSize(fold, rounds);
      const entry = entryOf(fold.step);
      if (entry !== undefined) entrySizes.set(fold.id, entry);
    }
    return add(start, result, multiply(rounds, round));
  }

  function variablesOf(fold: ComprehensionExpr): [string, Local][] {
    const entry = entryOf(fold.range);
    const path = pathOf(fold.range);
    const isList = (entry?.container ?? typeOf(fold.range).kind) === "list";
    const at = (step: string, size: Estimate | undefined): Local => ({
      path: [...path, step],
      size,
      entry: undefined,
    });
    const key = at(isList ? "@indices" : "@keys", entry?.key);
    const value = at(isList ? "@items" : "@values", entry?.value);
    if (fold.variable2 === undefined) return [[fold.variable, isList ? value : key]];
    return [
      [fold.variable, key],
      [fold.variable2, value],
    ];
  }

  function costBinding(bound: ComprehensionExpr): Estimate {
    const start = add(cost(bound.range), cost(bound.initial));
    push(bound.accumulator, {
      path: pathOf(bound.initial),
      size: sizeOf(bound.initial),
      entry: entryOf(bound.initial),
    });
    const result = cost(bound.result);
    pop(bound.accumulator);
    copySizes(bound, bound.result);
    return add(start, result);
  }

  function nodeOf(expr: Expr): CostNode {
    const path = pathOf(expr);
    const isAccumulator = path[0] === "@result" || path[0] === "__result__";
    return { path: isAccumulator ? [] : path, type: typeOf(expr), expr, size: sizeOf(expr) };
  }

  function sizeOf(expr: Expr): Estimate | undefined {
    const computed = sizes.get(expr.id) ?? sizeOfText(expr);
    if (computed !== undefined) return computed;
    const estimated = estimateSize(pathOf(expr), typeOf(expr));
    if (estimated !== undefined) {
      sizes.set(expr.id, estimated);
      return estimated;
    }
    if (isScalar(typeOf(expr))) return fixed(1);
    return expr.kind === "ident" ? local(expr.name)?.size : undefined;
  }

  function knownSize(expr: Expr): Estimate {
    return sizeOf(expr) ?? unknown;
  }

  function setSize(expr: Expr, size: Estimate | undefined): void {
    if (size !== undefined) sizes.set(expr.id, size);
  }

  function copySizes(to: Expr, from: Expr): void {
    setSize(to, sizeOf(from));
    const entry = entryOf(from);
    if (entry !== undefined) entrySizes.set(to.id, entry);
  }

  function entryOf(expr: Expr): EntrySize | undefined {
    const known = entrySizes.get(expr.id);
    return known ?? (expr.kind === "ident" ? local(expr.name)?.entry : undefined);
  }

  function pathOf(expr: Expr): readonly string[] {
    const variable = expr.kind === "ident" ? local(expr.name) : undefined;
    return variable?.path ?? paths.get(expr.id) ?? [];
  }

  function typeOf(expr: Expr): CelType {
    return types.get(expr.id) ?? dynType;
  }

  function local(name: string): Local | undefined {
    return locals.get(name)?.at(-1);
  }

  function push(name: string, variable: Local): void {
    locals.set(name, [...(locals.get(name) ?? []), variable]);
  }

  function pop(name: string): void {
    locals.get(name)?.pop();
  }
}

/** What any estimate is added to, to be either of them. */
const never: Estimate = { min: uncountable, max: 0 };

/** Of nothing the size is none; of something it is at first anything that makes it smaller. */
const startOf = (elements: readonly unknown[]): Estimate => ({
  min: elements.length === 0 ? 0 : uncountable,
  max: 0,
});
