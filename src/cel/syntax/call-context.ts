import type { State } from "./transition-network.ts";

/**
 * Where rules return to when they end: a graph of stacks, each written once, so that equal ones are
 * the same. The outermost call returns nowhere: that is an end without a state.
 */
export interface CallContext {
  readonly id: number;
  readonly returns: readonly { readonly to?: State; readonly parent?: CallContext }[];
}

/** Makes contexts, and keeps each that it made. */
export interface CallContexts {
  readonly empty: CallContext;
  push(parent: CallContext, to: State): CallContext;
  /** Both of them; with `wildcard` the empty one stands for every other. */
  merge(a: CallContext, b: CallContext, wildcard: boolean): CallContext;
}

export function createCallContexts(): CallContexts {
  const known = new Map<string, CallContext>();
  const empty = make([{}]);
  return { empty, push, merge };

  function push(parent: CallContext, to: State): CallContext {
    return make([{ to, parent }]);
  }

  function merge(a: CallContext, b: CallContext, wildcard: boolean): CallContext {
    if (a === b) return a;
    if (wildcard && (a === empty || b === empty)) return empty;
    const merged = new Map<number, CallContext["returns"][number]>();
    for (const entry of [...a.returns, ...b.returns]) {
      const key = keyOf(entry);
      const other = merged.get(key);
      if (other?.parent === undefined || entry.parent === undefined || entry.to === undefined) {
        merged.set(key, entry);
      } else {
        merged.set(key, { to: entry.to, parent: merge(other.parent, entry.parent, wildcard) });
      }
    }
    return make([...merged.values()].sort((x, y) => keyOf(x) - keyOf(y)));
  }

  function make(returns: CallContext["returns"]): CallContext {
    const key = returns.map((entry) => `${keyOf(entry)}>${entry.parent?.id ?? ""}`).join();
    const made = known.get(key);
    if (made !== undefined) return made;
    const context = { id: known.size, returns };
    known.set(key, context);
    return context;
  }
}

/** The outermost end comes after every state. */
const keyOf = (entry: { to?: State }): number => entry.to?.id ?? Number.MAX_SAFE_INTEGER;
