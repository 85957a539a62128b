import { type CallContext, type CallContexts, createCallContexts } from "./call-context.ts";
import { network, type State, type Transition } from "./network.ts";
import { endOfText } from "./token.ts";

/** What is asked: which of the ways from a state fits what comes next. */
export interface Question {
  readonly decision: State;
  /** How strongly the rule must bind that is being read. */
  readonly precedence: number;
  /** The type of the token so far ahead. */
  readonly ahead: (distance: number) => number;
  /** Where the rules return to that are being read, the innermost first. */
  readonly callers: readonly State[];
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

/** A place that one way may have come to, after the tokens read so far. */
interface Config {
  readonly state: State;
  readonly way: number;
  readonly context: CallContext;
  /** Whether it left the rule in which the choice is made. */
  readonly isOutside: boolean;
  /** Whether it may not be dropped in favour of another round of the same rule. */
  readonly isKept: boolean;
}

/** All the places, by state and way; those that differ only in where they return to are one. */
type Configs = ReadonlyMap<string, Config>;

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
  const outer = callers.reduceRight((parent, to) => own.push(parent, to), own.empty);
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

/** How to walk the network without reading tokens. */
interface Walk {
  readonly contexts: CallContexts;
  /** Whether the callers are known; else a rule that ends may go on wherever it is called. */
  readonly inContext: boolean;
  /** Whether the end of the text was read, and may be read again. */
  readonly eofIsNothing: boolean;
  /** At the start of a choice: how strongly the rule must bind, and what is being chosen. */
  readonly precedence?: number;
  readonly decision?: State;
}

function startConfigs(walk: Walk, context: CallContext): Configs {
  const configs = new Map<string, Config>();
  for (const [index, { target }] of (walk.decision?.transitions ?? []).entries()) {
    const config = { state: target, way: index + 1, context, isOutside: false, isKept: false };
    close(walk, config, { into: configs });
  }
  return configs;
}

/** Where the places lead with a token of this type; `undefined` if nowhere. */
function reach(walk: Walk, configs: Configs, type: number): Configs | undefined {
  const places = [...configs.values()];
  const ended =
    walk.inContext || type === endOfText ? places.filter(({ state }) => state.kind === "stop") : [];
  let reached = readToken(walk, places, type);
  if (ended.length > 0 || type === endOfText || onlyWay([...reached.values()]) === undefined) {
    const closed = new Map<string, Config>();
    const seen = new Set<string>();
    for (const config of reached.values()) close(walk, config, { into: closed, seen });
    reached = closed;
  }
  if (type === endOfText) reached = atEnds(walk, reached);
  const isAtEnd = [...reached.values()].some(({ state }) => state.kind === "stop");
  if (!walk.inContext || !isAtEnd) for (const config of ended) add(walk, reached, config);
  return reached.size === 0 ? undefined : reached;
}

function readToken(walk: Walk, places: readonly Config[], type: number): Map<string, Config> {
  const read = new Map<string, Config>();
  for (const config of places) {
    for (const transition of config.state.transitions) {
      if (transition.kind === "token" && transition.types.has(type)) {
        add(walk, read, { ...config, state: transition.target });
      }
    }
  }
  return read;
}

/** After the end of the text only what ends counts. */
function atEnds(walk: Walk, configs: Map<string, Config>): Map<string, Config> {
  const ends = new Map<string, Config>();
  for (const config of configs.values()) {
    if (config.state.kind === "stop") add(walk, ends, config);
  }
  return ends;
}

/** Adds a place and all that can be come to from it without reading a token. */
function close(
  walk: Walk,
  first: Config,
  { into, seen = new Set() }: { into: Map<string, Config>; seen?: Set<string> },
): void {
  visit(first, 0);

  function visit(config: Config, depth: number): void {
    if (config.state.kind !== "stop") {
      follow(config, depth);
      return;
    }
    for (const { to, parent } of config.context.returns) {
      if (to !== undefined && parent !== undefined) {
        visit({ ...config, state: to, context: parent }, depth - 1);
      } else if (walk.inContext) {
        add(walk, into, { ...config, context: walk.contexts.empty });
      } else {
        follow(config, depth);
      }
    }
  }

  function follow(config: Config, depth: number): void {
    const { transitions } = config.state;
    const reads = transitions.some(({ kind }) => kind === "token");
    if (reads || transitions.length === 0) add(walk, into, config);
    for (const transition of transitions) step(config, transition, depth);
  }

  function step(config: Config, transition: Transition, depth: number): void {
    const next = { ...config, state: transition.target };
    switch (transition.kind) {
      case "epsilon":
        if (config.state.kind === "stop") leave(next, transition.outermost, depth);
        else visit(next, depth);
        break;
      case "rule": {
        const context = walk.contexts.push(config.context, transition.target);
        const called = { ...config, state: transition.called.start, context };
        visit(called, depth >= 0 ? depth + 1 : depth);
        break;
      }
      case "precedence":
        // Only the rule in which the choice is made knows how strongly it must bind.
        if (depth !== 0 || transition.precedence >= (walk.precedence ?? 0)) visit(next, depth);
        break;
      case "token":
        if (walk.eofIsNothing && transition.types.has(endOfText)) visit(next, depth);
    }
  }

  /** Goes on where the rule in which the choice is made may have been called. */
  function leave(next: Config, outermost: string | undefined, depth: number): void {
    const { decision } = walk;
    const isKept = decision !== undefined && isLoopOfRule(decision) && outermost === decision.rule;
    const outside = { ...next, isOutside: true, isKept: next.isKept || isKept };
    const key = keyOf(outside);
    if (seen.has(key)) return;
    seen.add(key);
    visit(outside, depth - 1);
  }
}

function add(walk: Walk, configs: Map<string, Config>, config: Config): void {
  const key = `${config.state.id}.${config.way}`;
  const other = configs.get(key);
  if (other === undefined) {
    configs.set(key, config);
    return;
  }
  configs.set(key, {
    ...other,
    context: walk.contexts.merge(other.context, config.context, !walk.inContext),
    isOutside: other.isOutside || config.isOutside,
    isKept: other.isKept || config.isKept,
  });
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

function onlyWay(configs: readonly Config[]): number | undefined {
  const [first] = configs;
  return configs.every(({ way }) => way === first?.way) ? first?.way : undefined;
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

const placeOf = ({ state, context }: Config): string => `${state.id}.${context.id}`;
const keyOf = (config: Config): string => `${placeOf(config)}.${config.way}.${config.isKept}`;

/** Whether the choice is between another round of a rule that begins with itself, and its end. */
const isLoopOfRule = (state: State): boolean => network()[state.rule].operators?.entry === state;
