import type { Expr } from "../syntax/ast.ts";
import type { EntrySize } from "./cost.ts";
import {
  type CallEstimate,
  type CostNode,
  perCharacter,
  perRegexpCharacter,
} from "./cost-library.ts";
import { add, type Estimate, fixed, multiply, times, union, unknown } from "./estimate.ts";

/** A call of an operator or function of the language, whose cost is asked for. */
export interface StandardCall {
  readonly overload: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  readonly argCosts: readonly Estimate[];
  entryOf(expr: Expr): EntrySize | undefined;
}

/** What a call costs, and how large what comes of it is, and what is in that. */
export interface StandardEstimate extends CallEstimate {
  readonly entry?: EntrySize | undefined;
}

/** What a call of the language itself costs; if nothing else is known of it, a step. */
export function estimateStandardCall(call: StandardCall): StandardEstimate {
  const { overload, args, argCosts } = call;
  const estimated = (estimators[overload] ?? comparison(overload))?.(call);
  if (estimated === undefined) return { cost: add(fixed(1), ...argCosts) };
  const isLazy = ["logical_or", "logical_and", "conditional"].includes(overload) && args.length > 0;
  return isLazy ? estimated : { ...estimated, cost: add(estimated.cost, ...argCosts) };
}

type Estimator = (call: StandardCall) => StandardEstimate | undefined;

/** Comparing reads at most the shorter of the two. */
const compares: Estimator = ({ args: [left, right] }) => {
  const max = Math.min(sizeOf(left).max, sizeOf(right).max);
  return { cost: times({ min: max > 0 ? 1 : 0, max }, perCharacter) };
};

function comparison(overload: string): Estimator | undefined {
  return /^(less|greater)(_equals)?_(string|bytes)$/.test(overload) ? compares : undefined;
}

const readsArgument: Estimator = ({ args: [first] }) => ({
  cost: times(sizeOf(first), perCharacter),
});

const logical: Estimator = ({ argCosts: [left = fixed(0), right = fixed(0)] }) => ({
  cost: { min: left.min, max: add(left, right).max },
});

const joins: Estimator = ({ overload, args: [left, right], entryOf }) => {
  const size = add(sizeOf(left), sizeOf(right));
  const entry = unionEntries(left?.expr && entryOf(left.expr), right?.expr && entryOf(right.expr));
  const cost = overload === "add_list" ? fixed(1) : times(size, perCharacter);
  return { cost, size, entry };
};

const estimators: Readonly<Record<string, Estimator>> = {
  string_format: ({ target }) => ({ cost: times(sizeOf(target), perCharacter) }),
  string_to_bytes: ({ args: [text] }) => {
    const { min, max } = sizeOf(text);
    return { cost: times(sizeOf(text), perCharacter), size: { min, max: wrapped(max, 4n, 0n) } };
  },
  bytes_to_string: ({ args: [bytes] }) => {
    const { min, max } = sizeOf(bytes);
    return { cost: times(sizeOf(bytes), perCharacter), size: { min: Math.floor(min / 4), max } };
  },
  strings_quote: ({ args: [text] }) => {
    const { min, max } = sizeOf(text);
    const size = { min: min + 2, max: wrapped(max, 2n, 2n) };
    return { cost: times(sizeOf(text), perCharacter), size };
  },
  starts_with_string: readsArgument,
  ends_with_string: readsArgument,
  in_list: ({ args: [, list] }) => ({ cost: times(sizeOf(list), 1) }),
  matches_string: ({ target, args: [pattern] }) => {
    const text = times(add(sizeOf(target), fixed(1)), perCharacter);
    return { cost: multiply(text, times(sizeOf(pattern), perRegexpCharacter)) };
  },
  contains_string: ({ target, args: [part] }) => ({
    cost: multiply(times(sizeOf(target), perCharacter), times(sizeOf(part), perCharacter)),
  }),
  logical_or: logical,
  logical_and: logical,
  conditional: ({ args: [, yes, no], argCosts, entryOf }) => {
    const [condition = fixed(0), whenTrue = fixed(0), whenFalse = fixed(0)] = argCosts;
    return {
      cost: add(condition, union(whenTrue, whenFalse)),
      size: union(sizeOf(yes), sizeOf(no)),
      entry: unionEntries(yes?.expr && entryOf(yes.expr), no?.expr && entryOf(no.expr)),
    };
  },
  add_string: joins,
  add_bytes: joins,
  add_list: joins,
  equals: compares,
  not_equals: compares,
};

const sizeOf = (node: CostNode | undefined): Estimate => node?.size ?? unknown;

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}

/** These sizes are counted without regard to the end of what can be counted: they begin anew. */
function wrapped(size: number, factor: bigint, more: bigint): number {
  const whole = BigInt(Math.min(size, 2 ** 64)) - (size >= 2 ** 64 ? 1n : 0n);
  return Number(BigInt.asUintN(64, whole * factor + more));
}
