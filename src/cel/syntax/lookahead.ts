import type { CallContext, CallContexts } from "./call-context.ts";
import { endOfText } from "./token.ts";
import { network, type State, type Transition } from "./transition-network.ts";

/** A place that one way may have come to, after the tokens read so far. */
export interface Config {
  readonly state: State;
  readonly way: number;
  readonly context: CallContext;
  /** Whether it left the rule in which the choice is made. */
  readonly isOutside: boolean;
  /** Whether it may not be dropped in favour of another round of the same rule. */
  readonly isKept: boolean;
}

/** All the places, by state and way; those that differ only in where they return to are one. */
export type Configs = ReadonlyMap<string, Config>;

/** How to walk the network without reading tokens. */
export interface Walk {
  readonly contexts: CallContexts;
  /** Whether the callers are known; else a rule that ends may go on wherever it is called. */
  readonly inContext: boolean;
  /** Whether the end of the text was read, and may be read again. */
  readonly eofIsNothing: boolean;
  /** At the start of a choice: how strongly the rule must bind, and what is being chosen. */
  readonly precedence?: number;
  readonly decision?: State;
}

/** The places that the ways from a choice begin at. */
export function startConfigs(walk: Walk, context: CallContext): Configs {
  const configs = new Map<string, Config>();
  for (const [index, { target }] of (walk.decision?.transitions ?? []).entries()) {
    const config = { state: target, way: index + 1, context, isOutside: false, isKept: false };
    close(walk, config, { into: configs });
  }
  return configs;
}

/** Where the places lead with a token of this type; `undefined` if nowhere. */
export function reach(walk: Walk, configs: Configs, type: number): Configs | undefined {
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

/** The way that all places are of, if it is one. */
export function onlyWay(configs: readonly Config[]): number | undefined {
  const [first] = configs;
  return configs.every(({ way }) => way === first?.way) ? first?.way : undefined;
}

/** Where a config is, and where it returns to. */
export const placeOf = ({ state, context }: Config): string => `${state.id}.${context.id}`;
const keyOf = (config: Config): string => `${placeOf(config)}.${config.way}.${config.isKept}`;

/** Whether the choice is between another round of a rule that begins with itself, and its end. */
export const isLoopOfRule = (state: State): boolean =>
  network()[state.rule].operators?.entry === state;
