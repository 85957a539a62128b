import type { RuleName } from "./grammar.ts";
import { predict } from "./predict.ts";
import { createRecovery, GaveUp, type Mistake } from "./recovery.ts";
import type { Token } from "./token.ts";
import type { TokenStream } from "./token-stream.ts";
import {
  type Block,
  type Choice,
  type NetworkAlternative,
  network,
  type State,
  type Step,
} from "./transition-network.ts";

/**
 * What a rule matched: the parts that the grammar names, in order. Where the text is wrong, parts are
 * missing, and `label` is empty if no alternative was chosen.
 */
export interface Tree {
  readonly rule: RuleName;
  readonly label: string;
  readonly start: Token;
  readonly parts: ReadonlyMap<string, readonly Part[]>;
}

export type Part = Token | Tree;

/** A call of a rule that is under way. */
export interface Call {
  readonly parent: Call | undefined;
  /** Where its caller goes on. */
  readonly returnsTo: State | undefined;
}

/** A rule that is to be read, and where its caller goes on. */
interface RuleCall {
  readonly rule: RuleName;
  readonly precedence: number;
  readonly returnsTo: State | undefined;
}

/** Reads a part of a rule: asks for the trees of the rules that it calls, and ends with a mistake. */
type Reading<T = Mistake | undefined> = Generator<RuleCall, T, Tree>;

/** A rule may be inside itself so many times. */
const maxDepth = 250;

/**
 * Reads the tree of an expression. Each mistake is told to `fail`, and reading goes on as the
 * original does, so that the next one is found too. `undefined` if it gave up.
 */
export function readSyntaxTree(
  tokens: TokenStream,
  fail: (token: Token, message: string) => void,
): Tree | undefined {
  const rules = network();
  const depths = new Map<RuleName, number>();
  const parser = { state: rules.start.start, call: undefined as Call | undefined };
  const recovery = createRecovery(tokens, parser, fail);
  return readAll({ rule: "start", precedence: 0, returnsTo: undefined });

  /** Reads a rule, and those that it calls: on a stack of its own, which may be as deep as it must. */
  function readAll(first: RuleCall): Tree {
    const readings = [readRule(first)];
    let tree: Tree | undefined;
    for (;;) {
      const { done, value } = (readings.at(-1) as Reading<Tree>).next(tree as Tree);
      if (done !== true) {
        readings.push(readRule(value));
        continue;
      }
      readings.pop();
      tree = value;
      if (readings.length === 0) return tree;
    }
  }

  function* readRule({ rule: name, precedence, returnsTo }: RuleCall): Reading<Tree> {
    const rule = rules[name];
    const depth = (depths.get(name) ?? 0) + 1;
    depths.set(name, depth);
    if (depth > maxDepth) throw new GaveUp(`expression recursion limit exceeded: ${maxDepth}`);
    const caller = parser.call;
    parser.call = { parent: caller, returnsTo };
    const builder = createBuilder(name, tokens.at(0));
    const mistake =
      (yield* readBlock(rule.block, builder)) ?? (yield* readOperators(builder, precedence));
    if (mistake !== undefined) recovery.recover(mistake);
    parser.call = caller;
    depths.set(name, depth - 1);
    return builder.tree();
  }

  function* readBlock(block: Block | undefined, builder: Builder): Reading {
    if (block === undefined) return undefined;
    const chosen = chooseAlternative(block, 0);
    return "kind" in chosen ? chosen : yield* readAlternative(chosen, builder);
  }

  function chooseAlternative(block: Block, precedence: number): NetworkAlternative | Mistake {
    const way = block.choice ? (sync(block.state) ?? choose(block.choice, precedence)) : 1;
    if (typeof way !== "number") return way;
    return block.alternatives[way - 1] ?? noViableAlternative(0);
  }

  function* readAlternative(chosen: NetworkAlternative, builder: Builder): Reading {
    builder.label(chosen.label);
    return yield* readSteps(chosen.steps, builder);
  }

  /** The rest of a rule that begins with itself: what was read becomes the left side of the next. */
  function* readOperators(builder: Builder, precedence: number): Reading {
    const operators = rules[builder.rule].operators;
    if (operators === undefined) return undefined;
    for (let state = operators.entry; ; state = operators.back) {
      const way = sync(state) ?? choose(operators.choice, precedence);
      if (typeof way !== "number") return way;
      if (way === 2) return undefined;
      const chosen = chooseAlternative(operators.block, precedence);
      if ("kind" in chosen) return chosen;
      builder.wrap();
      const mistake = yield* readAlternative(chosen, builder);
      if (mistake !== undefined) return mistake;
    }
  }

  function* readSteps(steps: readonly Step[], builder: Builder): Reading {
    for (const step of steps) {
      const mistake = yield* readStep(step, builder);
      if (mistake !== undefined) return mistake;
    }
    return undefined;
  }

  function* readStep(step: Step, builder: Builder): Reading {
    switch (step.kind) {
      case "token": {
        parser.state = step.state;
        const token = recovery.match(step.types);
        if (!("text" in token)) return token;
        builder.add(step.as, token);
        return undefined;
      }
      case "rule": {
        parser.state = step.state;
        const [transition] = step.state.transitions;
        const { rule, precedence } = step;
        builder.add(step.as, yield { rule, precedence, returnsTo: transition?.target });
        return undefined;
      }
      default:
        return yield* readRounds(step, builder);
    }
  }

  function* readRounds(
    step: Extract<Step, { kind: "optional" | "star" | "plus" }>,
    builder: Builder,
  ): Reading {
    const { kind, steps, choice } = step;
    let mistake = sync(step.state);
    // The one that must be there is read without a choice.
    let way = kind === "plus" ? 1 : (mistake ?? choose(choice, 0, 2));
    while (mistake === undefined) {
      if (typeof way !== "number") return way;
      if (way !== 1) return undefined;
      mistake = yield* readSteps(steps, builder);
      if (mistake !== undefined || kind === "optional") return mistake;
      mistake = sync(step.again);
      way = mistake ?? choose(choice, 0, 2);
    }
    return mistake;
  }

  function sync(state: State): Mistake | undefined {
    parser.state = state;
    return recovery.sync();
  }

  /** The way to take from here; `otherwise` is the one to take if no first token fits. */
  function choose(choice: Choice, precedence: number, otherwise?: number): number | Mistake {
    if ("first" in choice) {
      const next = tokens.at(0).type;
      const way = choice.first.findIndex((types) => types.has(next));
      if (way >= 0) return way + 1;
      return otherwise ?? noViableAlternative(0);
    }
    const prediction = predict({
      decision: choice.ahead,
      precedence,
      ahead: (distance) => tokens.at(distance).type,
      callers: () => callersOf(parser.call),
    });
    return "way" in prediction ? prediction.way : noViableAlternative(prediction.stuckAt);
  }

  function noViableAlternative(distance: number): Mistake {
    return { kind: "no viable", first: tokens.at(0), token: tokens.at(distance) };
  }
}

/** Where the calls return to, the innermost first. */
function callersOf(call: Call | undefined): State[] {
  const callers: State[] = [];
  for (let at = call; at?.returnsTo !== undefined; at = at.parent) callers.push(at.returnsTo);
  return callers;
}

interface Builder {
  readonly rule: RuleName;
  label(label: string): void;
  add(name: string | undefined, part: Part): void;
  /** Begins anew, with what was read so far as the part `left`. */
  wrap(): void;
  tree(): Tree;
}

function createBuilder(rule: RuleName, start: Token): Builder {
  let label = "";
  let parts = new Map<string, Part[]>();
  const tree = (): Tree => ({ rule, label, start, parts });
  return {
    rule,
    tree,
    label: (chosen) => {
      label = chosen;
    },
    add: (name, part) => {
      if (name === undefined) return;
      const others = parts.get(name);
      if (others === undefined) parts.set(name, [part]);
      else others.push(part);
    },
    wrap: () => {
      parts = new Map([["left", [tree()]]]);
    },
  };
}
