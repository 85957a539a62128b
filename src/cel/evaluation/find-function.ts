import type { Overload } from "../checking/declaration.ts";
import { overloadTable, singletons } from "../functions/function-table.ts";
import type { Implementation } from "../functions/implementation.ts";
import { CelError, type CelValue, isError, typeNameOf } from "../values/cel-value.ts";
import { acceptorOf } from "./acceptor.ts";
import { PlanError } from "./planned.ts";

interface Wanted {
  /** The way to call it, if only one fits. */
  readonly overload: string;
  readonly declared: readonly Overload[];
  /** How many operands there are. */
  readonly count: number;
}

/**
 * The implementation of a function: that of the way to call it, if only one fits; else the one that takes
 * what it is given, when it runs. What takes nothing else checks that itself.
 */
export function findFunction(name: string, { overload, declared, count }: Wanted): Implementation {
  const singleton = singletons()[name];
  if (singleton !== undefined) return singleton;
  const own = overloadTable()[overload];
  const declaration = declared.find(({ id }) => id === overload);
  if (own !== undefined && declaration !== undefined) {
    return own.isUnguarded ? own : guarded(name, own, declaration);
  }
  const known = declared.filter(({ id }) => overloadTable()[id] !== undefined);
  const [only, ...others] = known;
  if (only === undefined) return missing(name, count);
  const implementation = overloadTable()[only.id];
  if (implementation !== undefined && others.length === 0) {
    return implementation.isUnguarded ? implementation : guarded(name, implementation, only);
  }
  return dispatching(name, known);
}

/** Values that have no such method answer for themselves; those of other types do not exist. */
function missing(name: string, count: number): Implementation {
  if (count === 0) throw new PlanError(`no such overload: ${name}()`);
  return { all: () => new CelError(`no such overload: ${name}`) };
}

function guarded(
  name: string,
  implementation: Implementation,
  { parameters }: Overload,
): Implementation {
  const { one, two, all } = implementation;
  const [first, second] = parameters.map(acceptorOf);
  if (one && first) {
    return { ...implementation, one: (a) => (first(a) ? one(a) : noOverload(name, [a])) };
  }
  if (two && first && second) {
    return {
      ...implementation,
      two: (a, b) => (first(a) && second(b) ? two(a, b) : noOverload(name, [a, b])),
    };
  }
  const acceptors = parameters.map(acceptorOf);
  return {
    ...implementation,
    ...(all && {
      all: (values: readonly CelValue[]) =>
        values.every((value, i) => acceptors[i]?.(value)) ? all(values) : noOverload(name, values),
    }),
  };
}

/** Tries the ways to call a function in the order in which they are declared. */
function dispatching(name: string, known: readonly Overload[]): Implementation {
  const ways = known.map(({ id, parameters }) => ({
    implementation: overloadTable()[id] ?? {},
    acceptors: parameters.map(acceptorOf),
  }));
  return {
    all: (values) => {
      for (const { implementation, acceptors } of ways) {
        if (acceptors.length !== values.length) continue;
        if (!implementation.isUnguarded && !values.every((value, i) => acceptors[i]?.(value)))
          continue;
        const [a = null, b = null] = values;
        if (implementation.one) return implementation.one(a);
        if (implementation.two) return implementation.two(a, b);
        if (implementation.all) return implementation.all(values);
      }
      return noOverload(name, values);
    },
  };
}

function noOverload(name: string, values: readonly CelValue[]): CelError {
  const error = values.find(isError);
  if (error !== undefined) return error;
  return new CelError(`no such overload: ${name}(${values.map(typeNameOf).join(", ")})`);
}
