import { isMap, isNull } from "../../../../schema/json/json-value.ts";
import type { At } from "../../../../schema/language/report.ts";
import type { Correlated } from "../../../../schema/structural/correlated.ts";
import { keyedItems } from "../../../../schema/structural/keyed-items.ts";
import { evaluateRulesHere, type Place, type Ratchet, type Run } from "./evaluate-rules-here.ts";
import type { RuleTree } from "./rule-tree.ts";

/** A value that rules are asked about. */
export interface RuleSubject {
  readonly value: unknown;
  /** What it was before; undefined or null: it is new. */
  readonly old?: unknown;
  /** The same for what does not change: there, a rule that fails is a warning. */
  readonly correlated?: Correlated | undefined;
}

/** What all rules of one object may cost together. */
export const ruleBudget = 10_000_000;

/**
 * Evaluates the rules of a value and of all that is in it, and reports those that fail. Returns what is left of
 * the budget; it is negative once the rest of the rules was given up.
 */
export function evaluateRules(
  tree: RuleTree,
  { value, old, correlated }: RuleSubject,
  { at, budget = ruleBudget }: { readonly at: At; readonly budget?: number },
): number {
  const run: Run = { budget };
  visit(run, tree, { value, old, at, ratchet: { current: correlated, above: undefined } });
  return run.budget;
}

function visit(run: Run, tree: RuleTree, place: Place): void {
  const { value } = place;
  // What is null is for the rules around it.
  if (isNull(value)) return;
  evaluateRulesHere(run, tree, place);
  if (run.budget < 0) return;
  if (Array.isArray(value)) visitItems(run, tree, { ...place, value });
  else if (isMap(value)) visitMembers(run, tree, { ...place, value });
}

function visitItems(
  run: Run,
  { schema, items }: RuleTree,
  { value, old, at, ratchet }: Place & { readonly value: readonly unknown[] },
): void {
  if (items === undefined) return;
  const before = keyedItems(schema, Array.isArray(old) ? old : []);
  for (const [i, item] of value.entries()) {
    visit(run, items, {
      value: item,
      old: before.find(item),
      at: at.index(i),
      ratchet: itemOf(ratchet, i),
    });
    if (run.budget < 0) return;
  }
}

function itemOf(ratchet: Ratchet, index: number): Ratchet {
  const { current } = ratchet;
  return current ? { current: current.item(index), above: current } : ratchet;
}

function visitMembers(
  run: Run,
  { properties, additional }: RuleTree,
  { value, old, at, ratchet }: Place & { readonly value: Readonly<Record<string, unknown>> },
): void {
  const before = (name: string) => (isMap(old) && Object.hasOwn(old, name) ? old[name] : undefined);
  const member = (tree: RuleTree, name: string, here: At): void =>
    visit(run, tree, {
      value: value[name],
      old: before(name),
      at: here,
      ratchet: memberOf(ratchet, name),
    });
  const names = Object.keys(value);
  for (const name of additional ? names : []) {
    if (additional) member(additional, name, at.key(name));
    if (run.budget < 0) return;
  }
  for (const name of properties.size > 0 ? names : []) {
    const tree = properties.get(name);
    if (tree) member(tree, name, at.child(name));
    if (run.budget < 0) return;
  }
}

function memberOf(ratchet: Ratchet, name: string): Ratchet {
  const { current, above } = ratchet;
  if (current === undefined) return ratchet;
  // Kind and version of the object itself were never another's.
  const isRoot = above === undefined;
  if (isRoot && (name === "apiVersion" || name === "kind")) return { current: undefined, above };
  return { current: current.member(name), above: current };
}
