import { type Alternative, grammar, type Item, type RuleName } from "./grammar.ts";
import { chooseAt } from "./next-tokens.ts";

/**
 * A state of the network that the grammar is drawn as: what may come next, and where it leads. What
 * kind of state it is decides how an error at it is mended.
 */
export interface State {
  readonly id: number;
  readonly rule: RuleName;
  readonly kind: "basic" | "block" | "loop entry" | "loop back" | "stop";
  readonly transitions: Transition[];
}

/** A way from one state to another. */
export type Transition =
  | {
      readonly kind: "epsilon";
      readonly target: State;
      /** Of a way back from a rule that begins with itself, called from outside: that rule. */
      readonly outermost?: RuleName | undefined;
    }
  | { readonly kind: "token"; readonly types: ReadonlySet<number>; readonly target: State }
  | {
      readonly kind: "rule";
      readonly called: NetworkRule;
      readonly precedence: number;
      readonly target: State;
    }
  | { readonly kind: "precedence"; readonly precedence: number; readonly target: State };

/** What the parser does next, with the state it is in when it does. */
export type Step =
  | {
      readonly kind: "token";
      readonly state: State;
      readonly types: ReadonlySet<number>;
      readonly as: string | undefined;
    }
  | {
      readonly kind: "rule";
      readonly state: State;
      readonly rule: RuleName;
      readonly precedence: number;
      readonly as: string | undefined;
    }
  | {
      readonly kind: "optional" | "star" | "plus";
      /** The state before the first round, and before each other. */
      readonly state: State;
      readonly again: State;
      readonly choice: Choice;
      readonly steps: readonly Step[];
    };

/** How to choose: by the next token alone, or by looking as far ahead as it takes. */
export type Choice = { readonly first: readonly ReadonlySet<number>[] } | { readonly ahead: State };

/** An alternative, ready to be followed. */
export interface NetworkAlternative {
  readonly label: string;
  readonly precedence: number;
  readonly state: State;
  readonly steps: readonly Step[];
}

/** Alternatives, with the state before them and how to choose if there are several. */
export interface Block {
  readonly state: State;
  readonly choice?: Choice;
  readonly alternatives: readonly NetworkAlternative[];
}

/** A rule, ready to be followed. */
export interface NetworkRule {
  readonly name: RuleName;
  readonly start: State;
  readonly stop: State;
  readonly isRecursive: boolean;
  block: Block | undefined;
  operators: { entry: State; back: State; choice: Choice; block: Block } | undefined;
}

let built: Readonly<Record<RuleName, NetworkRule>> | undefined;

/** The rules of the grammar as a network; drawn when first asked for. */
export function network(): Readonly<Record<RuleName, NetworkRule>> {
  built ??= buildNetwork();
  return built;
}

function buildNetwork(): Record<RuleName, NetworkRule> {
  const names = Object.keys(grammar) as RuleName[];
  let states = 0;
  const newState = (rule: RuleName, kind: State["kind"] = "basic"): State => ({
    id: states++,
    rule,
    kind,
    transitions: [],
  });
  const rules = Object.fromEntries(
    names.map((name): [RuleName, NetworkRule] => [
      name,
      {
        name,
        start: newState(name),
        stop: newState(name, "stop"),
        isRecursive: grammar[name].operators !== undefined,
        block: undefined,
        operators: undefined,
      },
    ]),
  ) as Record<RuleName, NetworkRule>;
  const choices: { set(choice: Choice): void; state: State }[] = [];

  for (const name of names) drawRule(rules[name]);
  // How to choose can be told only when every way is drawn, those back from rules too.
  for (const { set, state } of choices) set(chooseAt(state));
  return rules;

  function drawRule(rule: NetworkRule): void {
    const { alternatives, operators } = grammar[rule.name];
    if (operators === undefined) {
      rule.block = drawBlock(rule.name, alternatives, rule.stop);
      link(rule.start, rule.block.state);
      return;
    }
    const entry = newState(rule.name, "loop entry");
    const back = newState(rule.name, "loop back");
    link(back, entry);
    const block = drawBlock(rule.name, operators, back);
    link(entry, block.state);
    link(entry, rule.stop);
    rule.operators = { entry, back, choice: { ahead: entry }, block };
    rule.block = drawBlock(rule.name, alternatives, entry);
    link(rule.start, rule.block.state);
  }

  function drawBlock(rule: RuleName, alternatives: readonly Alternative[], next: State): Block {
    const state = newState(rule, "block");
    const drawn = alternatives.map(({ label, items, precedence }): NetworkAlternative => {
      const { state: first, steps } = drawItems(rule, items, next);
      if (precedence === undefined) {
        link(state, first);
        return { label, precedence: 0, state: first, steps };
      }
      const guard = newState(rule);
      guard.transitions.push({ kind: "precedence", precedence, target: first });
      link(state, guard);
      return { label, precedence, state: guard, steps };
    });
    const block: { -readonly [K in keyof Block]: Block[K] } = { state, alternatives: drawn };
    if (alternatives.length > 1) {
      choices.push({
        state,
        set: (choice) => {
          block.choice = choice;
        },
      });
    }
    return block;
  }

  function drawItems(
    rule: RuleName,
    items: readonly Item[],
    next: State,
  ): { state: State; steps: Step[] } {
    const steps: Step[] = [];
    let state = next;
    for (const item of items.toReversed()) {
      const step = drawItem(rule, item, state);
      steps.unshift(step);
      state = step.state;
    }
    return { state, steps };
  }

  function drawItem(rule: RuleName, item: Item, next: State): Step {
    switch (item.kind) {
      case "token": {
        const state = newState(rule);
        const types = new Set(item.types);
        state.transitions.push({ kind: "token", types, target: next });
        return { kind: "token", state, types, as: item.as };
      }
      case "rule": {
        const state = newState(rule);
        const called = rules[item.rule];
        const { precedence } = item;
        state.transitions.push({ kind: "rule", called, precedence, target: next });
        const outermost = called.isRecursive && precedence === 0 ? item.rule : undefined;
        called.stop.transitions.push({ kind: "epsilon", target: next, outermost });
        return { kind: "rule", state, rule: item.rule, precedence, as: item.as };
      }
      case "optional": {
        const state = newState(rule, "block");
        const { state: body, steps } = drawItems(rule, item.items, next);
        link(state, body);
        link(state, next);
        return chosen({ kind: "optional", state, again: state, steps }, state);
      }
      case "star": {
        const state = newState(rule, "loop entry");
        const again = newState(rule, "loop back");
        link(again, state);
        const { state: body, steps } = drawItems(rule, item.items, again);
        link(state, body);
        link(state, next);
        return chosen({ kind: "star", state, again, steps }, state);
      }
      case "plus": {
        const state = newState(rule, "block");
        const again = newState(rule, "loop back");
        const { state: body, steps } = drawItems(rule, item.items, again);
        link(state, body);
        link(again, state);
        link(again, next);
        return chosen({ kind: "plus", state, again, steps }, again);
      }
    }
  }

  function chosen(
    step: Omit<Extract<Step, { kind: "star" | "optional" | "plus" }>, "choice">,
    state: State,
  ): Step {
    const whole = { ...step, choice: { ahead: state } as Choice };
    choices.push({
      state,
      set: (choice) => {
        whole.choice = choice;
      },
    });
    return whole;
  }

  function link(from: State, target: State): void {
    from.transitions.push({ kind: "epsilon", target });
  }
}
