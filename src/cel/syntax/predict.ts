import { type CallContext, createCallContexts } from "./call-context.ts";
import {
  type Config,
  type Configs,
  isLoopOfRule,
  onlyWay,
  placeOf,
  reach,
  startConfigs,
} from "./lookahead.ts";
import { endOfText } from "./token.ts";
import { network, type State } from "./transition-network.ts";

/** What is asked: which of the ways from a state fits what comes next. */
export interface Question {
  readonly decision: State;
  /** How strongly the rule must bind that is being read. */
  readonly precedence: number;
  /** The type of the token so far ahead. */
  readonly ahead: (distance: number) => number;
  /** Where the rules return to that are being read, the innermost first. */
  readonly callers: () => readonly State[];
}

/** The way, counted from 1, or how far ahead it became clear that there is none. */
export type Prediction = { readonly way: number } | { readonly stuckAt: number };

/**
 * Chooses a way by looking ahead, first as if the rule could have been called from anywhere; only if
 * that leaves several, from where it was called. The first of the ways that fit is taken.
 */
export function predict(question: Question): Prediction {
  let at = startOf(question);
  let distance = 0;
  for (;;) {
    const type = question.ahead(distance);
    const next = nextOf(at, type);
    if (next === undefined) {
      const way = finishedWay(at.configs);
      return way === undefined ? { stuckAt: distance } : { way };
    }
    if (next.isConflict) return predictInContext(question);
    if (next.way !== undefined) return { way: next.way };
    at = next;
    if (type !== endOfText) distance++;
  }
}

/** What is known after some tokens, and what each next one leads to. */
interface Known {
  readonly configs: Configs;
  readonly way: number | undefined;
  readonly isConflict: boolean;
  readonly next: Map<number, Known | undefined>;
}

const contexts = createCallContexts();
const starts = new Map<string, Known>();
const knowns = new Map<string, Known>();

function startOf({ decision, precedence }: Question): Known {
  const key = `${decision.id}:${network()[decision.rule].isRecursive ? precedence : 0}`;
  let start = starts.get(key);
  if (start === undefined) {
    const walk = { contexts, inContext: false, eofIsNothing: false, precedence, decision };
    const configs = startConfigs(walk, contexts.empty);
    start = know(isLoopOfRule(decision) ? preferAnotherRound(configs) : configs, false);
    starts.set(key, start);
  }
  return start;
}

function nextOf(at: Known, type: number): Known | undefined {
  if (!at.next.has(type)) {
    const walk = { contexts, inContext: false, eofIsNothing: type === endOfText };
    const reached = reach(walk, at.configs, type);
    at.next.set(type, reached && know(reached, true));
  }
  return at.next.get(type);
}

function know(configs: Configs, isDecided: boolean): Known {
  const list = [...configs.values()];
  const way = isDecided ? onlyWay(list) : undefined;
  const isConflict = isDecided && way === undefined && isSettled(list);
  const key = `${isDecided}|${list.map((c) => `${c.state.id}.${c.way}.${c.context.id}.${c.isOutside}`).join()}`;
  let known = knowns.get(key);
  if (known === undefined) {
    known = { configs, way, isConflict, next: new Map() };
    knowns.set(key, known);
  }
  return known;
}

/** Chooses knowing where the rule was called from. If nothing fits, the first token is to blame. */
function predictInContext({ decision, precedence, ahead, callers }: Question): Prediction {
  const own = createCallContexts();
  const walk = { contexts: own, inContext: true, eofIsNothing: false, precedence, decision };
  const outer = callers().reduceRight((parent, to) => own.push(parent, to), own.empty);
  let configs = startConfigs(walk, outer);
  for (let distance = 0; ; ) {
    const type = ahead(distance);
    const reached = reach(
      { contexts: own, inContext: true, eofIsNothing: type === endOfText },
      configs,
      type,
    );
    if (reached === undefined) {
      const way = finishedWay(configs);
      return way === undefined ? { stuckAt: 0 } : { way };
    }
    const list = [...reached.values()];
    const way = onlyWay(list) ?? firstWayOfEach(list);
    if (way !== undefined) return { way };
    configs = reached;
    if (type !== endOfText) distance++;
  }
}

/** In a rule that begins with itself, another round is preferred to ending it for the same round. */
function preferAnotherRound(configs: Configs): Configs {
  const rounds = new Map<State, CallContext>();
  for (const { way, state, context } of configs.values()) {
    if (way === 1) rounds.set(state, context);
  }
  const kept = [...configs].filter(
    ([, { way, state, context, isKept }]) => way === 1 || isKept || rounds.get(state) !== context,
  );
  return new Map(kept);
}

/** Whether nothing that follows can tell the ways apart that are left. */
function isSettled(configs: readonly Config[]): boolean {
  if (configs.every(({ state }) => state.kind === "stop")) return true;
  if ([...waysBy(configs, placeOf).values()].every((ways) => ways.size === 1)) return false;
  const byState = waysBy(configs, ({ state }) => `${state.id}`);
  return [...byState.values()].every((ways) => ways.size > 1);
}

/** The way that every place offers first, if there is one. */
function firstWayOfEach(configs: readonly Config[]): number | undefined {
  const first = new Set([...waysBy(configs, placeOf).values()].map((ways) => Math.min(...ways)));
  return first.size === 1 ? [...first][0] : undefined;
}

/** The first of the ways that had already finished the rule in which the choice is made. */
function finishedWay(configs: Configs): number | undefined {
  const ways = [...configs.values()]
    .filter(
      ({ isOutside, state, context }) =>
        isOutside || (state.kind === "stop" && context.returns.some(({ to }) => to === undefined)),
    )
    .map(({ way }) => way);
  return ways.length === 0 ? undefined : Math.min(...ways);
}

function waysBy(
  configs: readonly Config[],
  key: (config: Config) => string,
): Map<string, Set<number>> {
  const ways = new Map<string, Set<number>>();
  for (const config of configs) {
    const name = key(config);
    ways.set(name, (ways.get(name) ?? new Set()).add(config.way));
  }
  return ways;
}
