import { endOfRule, nextTokens } from "./next-tokens.ts";
import type { Call } from "./syntax-tree.ts";
import { endOfText, missingText, quoteTokenText, showTokenTypes, type Token } from "./token.ts";
import type { TokenStream } from "./token-stream.ts";
import type { State } from "./transition-network.ts";

/** Why a rule cannot go on. */
export type Mistake =
  | {
      readonly kind: "mismatch";
      readonly token: Token;
      readonly expected: ReadonlySet<number>;
    }
  | { readonly kind: "no viable"; readonly first: Token; readonly token: Token };

/** Thrown when there is no point in reading on; `message` is empty if all was said already. */
export class GaveUp extends Error {}

/** Finds and mends mistakes: what is one too many is left out, what is missing is made up. */
export interface Recovery {
  /** Takes the next token if it has one of these types; else mends that, or says what is wrong. */
  match(types: ReadonlySet<number>): Token | Mistake;
  /** Called before a choice: nothing, unless no token comes next that could be meant here. */
  sync(): Mistake | undefined;
  /** Tells a mistake and skips what cannot follow the rule that is given up. */
  recover(mistake: Mistake): void;
}

/** Where the parser is: the state in the network, and the rules that are being read. */
export interface Position {
  readonly state: State;
  readonly call: Call | undefined;
}

/** After so many recoveries there is no point in another. */
const maxRecoveries = 30;

/** A recovery skips at most so many tokens. */
const maxSkipped = 256;

export function createRecovery(
  tokens: TokenStream,
  position: Position,
  fail: (token: Token, message: string) => void,
): Recovery {
  /** Whether a mistake was told and nothing matched since: what follows from it is not told. */
  let isRecovering = false;
  let lastIndex = -1;
  /** The states in which a mistake was found at `lastIndex`. */
  let lastStates = new Set<State>();
  let recoveries = 0;
  return { match, sync, recover };

  function match(types: ReadonlySet<number>): Token | Mistake {
    const token = tokens.at(0);
    if (types.has(token.type)) {
      matched();
      tokens.consume();
      return token;
    }
    countRecovery();
    const after = withoutNext();
    if (after !== undefined) {
      tokens.consume();
      return after;
    }
    if (isOnlyMissing(token)) return missing(token);
    return mismatch();
  }

  function sync(): Mistake | undefined {
    if (isRecovering) return undefined;
    const { state } = position;
    const next = nextTokens(state);
    if (next.has(endOfRule) || next.has(tokens.at(0).type)) return undefined;
    if (state.kind === "loop back") {
      tellUnwanted();
      skipUntil(new Set([...expected(), ...recoverySet()]), () => tokens.consume());
      return undefined;
    }
    return withoutNext() === undefined ? mismatch() : undefined;
  }

  function recover(mistake: Mistake): void {
    if (!isRecovering) {
      isRecovering = true;
      fail(mistake.token, describe(mistake));
    }
    countRecovery();
    let skipped = 0;
    const skip = (): void => {
      if (skipped >= maxSkipped) {
        throw new GaveUp(`error recovery token lookahead limit exceeded: ${maxSkipped}`);
      }
      skipped++;
      tokens.consume();
    };
    // The same mistake at the same place again: without this it would be found for ever.
    if (lastIndex === tokens.index() && lastStates.has(position.state)) skip();
    lastIndex = tokens.index();
    lastStates.add(position.state);
    skipUntil(recoverySet(), skip);
  }

  function countRecovery(): void {
    if (recoveries === maxRecoveries) {
      recoveries++;
      fail(tokens.at(0), `error recovery attempt limit exceeded: ${maxRecoveries}`);
      throw new GaveUp("");
    }
    recoveries++;
  }

  function matched(): void {
    isRecovering = false;
    lastIndex = -1;
    lastStates = new Set();
  }

  /** Leaves the next token out if the one after it is expected, which it returns without taking it. */
  function withoutNext(): Token | undefined {
    if (!expected().has(tokens.at(1).type)) return undefined;
    tellUnwanted();
    tokens.consume();
    matched();
    return tokens.at(0);
  }

  function isOnlyMissing(token: Token): boolean {
    const [transition] = position.state.transitions;
    return transition !== undefined && expected(transition.target).has(token.type);
  }

  /** A token in place of the one that is missing; at the end it stands where the last one does. */
  function missing(token: Token): Token {
    if (!isRecovering) {
      isRecovering = true;
      const message = `missing ${showTokenTypes(expected())} at ${quoteTokenText(token.text)}`;
      fail(token, message);
    }
    const type = Math.min(...expected());
    const place = token.type === endOfText ? (tokens.previous() ?? token) : token;
    return { type, text: missingText(type), start: place.start, end: place.start };
  }

  function mismatch(): Mistake {
    return { kind: "mismatch", token: tokens.at(0), expected: expected() };
  }

  function tellUnwanted(): void {
    if (isRecovering) return;
    isRecovering = true;
    const token = tokens.at(0);
    const wanted = showTokenTypes(expected());
    fail(token, `extraneous input ${quoteTokenText(token.text)} expecting ${wanted}`);
  }

  function describe(mistake: Mistake): string {
    if (mistake.kind === "no viable") {
      const { first, token } = mistake;
      const input = first.type === endOfText ? "<EOF>" : tokens.textOf(first, token);
      return `no viable alternative at input ${quoteTokenText(input)}`;
    }
    const shown = quoteTokenText(mistake.token.text);
    return `mismatched input ${shown} expecting ${showTokenTypes(mistake.expected)}`;
  }

  /** The tokens that may come next at a state, known by all the rules that are being read. */
  function expected(state: State = position.state): ReadonlySet<number> {
    const all = new Set<number>();
    let following = nextTokens(state);
    for (let { call } = position; ; call = call.parent) {
      for (const type of following) all.add(type);
      all.delete(endOfRule);
      if (!following.has(endOfRule)) return all;
      if (call?.returnsTo === undefined) break;
      following = nextTokens(call.returnsTo);
    }
    return all.add(endOfText);
  }

  /** The tokens that can follow any of the rules that are being read. */
  function recoverySet(): ReadonlySet<number> {
    const all = new Set<number>();
    for (let { call } = position; call?.returnsTo !== undefined; call = call.parent) {
      for (const type of nextTokens(call.returnsTo)) all.add(type);
    }
    all.delete(endOfRule);
    return all;
  }

  function skipUntil(types: ReadonlySet<number>, skip: () => void): void {
    for (;;) {
      const { type } = tokens.at(0);
      if (type === endOfText || types.has(type)) return;
      skip();
    }
  }
}
