import type { Choice, State, Transition } from "./transition-network.ts";

/** The end of a rule, as a member of a set of tokens: what comes next, the caller knows. */
export const endOfRule = -2;

const nextTokensOf = new WeakMap<State, ReadonlySet<number>>();

/** The tokens that may come next at a state, as far as its rule knows. */
export function nextTokens(state: State): ReadonlySet<number> {
  let tokens = nextTokensOf.get(state);
  if (tokens === undefined) {
    tokens = lookahead(state, { seesCallers: false }) ?? new Set();
    nextTokensOf.set(state, tokens);
  }
  return tokens;
}

/** By the next token alone if no token begins two of the ways, and no way depends on precedence. */
export function chooseAt(state: State): Choice {
  const first = state.transitions.map(({ target }) => lookahead(target, { seesCallers: true }));
  const tokens = first.flatMap((set) => [...(set ?? [])]);
  const isClear = first.every((set) => set !== undefined);
  if (!isClear || new Set(tokens).size < tokens.length) return { ahead: state };
  return { first: first.map((set) => set ?? new Set()) };
}

/**
 * The tokens that a state can begin with; `undefined` if that depends on precedence. At the end of a
 * rule either whoever could have called it goes on, or the end is all that is known.
 */
function lookahead(
  state: State,
  { seesCallers }: { seesCallers: boolean },
): ReadonlySet<number> | undefined {
  const tokens = new Set<number>();
  const seen = new Set<string>();
  const ends = visit(state, []);
  return ends ? tokens : undefined;

  function visit(at: State, callers: readonly State[]): boolean {
    const key = `${at.id}<${callers.map((caller) => caller.id).join()}`;
    if (seen.has(key)) return true;
    seen.add(key);
    if (at.kind === "stop") {
      const [caller, ...others] = callers;
      if (caller !== undefined) return visit(caller, others);
      if (!seesCallers) {
        tokens.add(endOfRule);
        return true;
      }
    }
    return at.transitions.every((transition) => step(transition, callers));
  }

  function step(transition: Transition, callers: readonly State[]): boolean {
    switch (transition.kind) {
      case "epsilon":
        return visit(transition.target, callers);
      case "token":
        for (const type of transition.types) tokens.add(type);
        return true;
      case "rule":
        return visit(transition.called.start, [transition.target, ...callers]);
      case "precedence":
        return seesCallers ? false : visit(transition.target, callers);
    }
  }
}
