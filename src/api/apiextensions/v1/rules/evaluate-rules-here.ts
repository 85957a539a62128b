import type { Variables } from "../../../../cel/evaluation/frame.ts";
import type { Evaluation, Program } from "../../../../cel/evaluation/program.ts";
import { CelOptional, optionalNone } from "../../../../cel/values/cel-value.ts";
import { isNull } from "../../../../schema/json/json-value.ts";
import { type At, omitted } from "../../../../schema/language/report.ts";
import type { Correlated } from "../../../../schema/structural/correlated.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { JSONSchemaProps, ValidationRule } from "../json-schema-props.ts";
import type { ReadyRule, RuleTree } from "./rule-tree.ts";

/** The evaluation of all rules of an object. */
export interface Run {
  /** What rules may still cost; negative: no more of them are evaluated. */
  budget: number;
}

/** A value in an object, with the place where its errors are reported. */
export interface Place {
  readonly value: unknown;
  /** What it was before; undefined or null: it is new. */
  readonly old: unknown;
  readonly at: At;
  readonly ratchet: Ratchet;
}

/** What a value was before as far as ratcheting can tell; else the nearest value around it that can be told. */
export interface Ratchet {
  readonly current: Correlated | undefined;
  readonly above: Correlated | undefined;
}

/** Evaluates the rules of one place of a schema. */
export function evaluateRulesHere(run: Run, tree: RuleTree, place: Place): void {
  const ready = tree.rules();
  const here: Here = { run, place, schema: tree.schema };
  if ("fault" in ready) {
    invalid(here, `rule compiler initialization error: ${ready.fault}`);
    return;
  }
  const { rules, read } = ready;
  if (rules.length === 0) return;
  if (run.budget <= 0) {
    giveUp(here, outOfBudget);
    return;
  }
  const isNew = isNull(place.old);
  const self = read(place.value);
  const needsOld = !isNew && rules.some(({ usesOldSelf }) => usesOldSelf);
  const oldSelf = needsOld ? read(place.old) : undefined;
  const optional = oldSelf === undefined ? optionalNone : new CelOptional(oldSelf);
  for (const rule of rules) {
    const isOptional = rule.rule.optionalOldSelf === true;
    // A rule of a change has nothing to say of what is new, unless it asks whether it is.
    if (rule.usesOldSelf && isNew && !isOptional) continue;
    const old = isOptional ? optional : oldSelf;
    evaluateRule(here, rule, (name) => (name === "self" ? self : old));
    if (run.budget < 0) return;
  }
}

/** Where rules are evaluated, and of what. */
interface Here {
  readonly run: Run;
  readonly place: Place;
  readonly schema: JSONSchemaProps;
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

function evaluateRule(here: Here, rule: ReadyRule, variables: Variables): void {
  if (rule.fault !== undefined) invalid(here, `rule compile error: ${rule.fault}`);
  if (rule.program === undefined) return;
  const evaluated = charged(here.run, rule.program, variables);
  if (evaluated === undefined) giveUp(here, outOfBudget);
  else if ("error" in evaluated) reportFailure(here, rule.rule, evaluated);
  else if (evaluated.value !== true) reportBroken(here, rule, variables);
}

/** What came of an evaluation that the budget pays for; undefined if that is too small. */
function charged(run: Run, program: Program, variables: Variables): Evaluation | undefined {
  const evaluated = program.evaluate(variables);
  if (evaluated.cost > run.budget) return undefined;
  run.budget -= evaluated.cost;
  return evaluated;
}

/** Reports a rule that could not be evaluated. */
function reportFailure(
  here: Here,
  rule: ValidationRule,
  { error, isTooExpensive }: Extract<Evaluation, { readonly error: string }>,
): void {
  const shown = shownRule(rule);
  if (isTooExpensive)
    giveUp(
      here,
      `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`,
    );
  else if (error.startsWith("no such overload"))
    invalid(
      here,
      `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`,
    );
  else invalid(here, `${error} evaluating rule: ${shown}`);
}

/** Reports a rule that is not true; it is only warned of where the value did not change. */
function reportBroken(outer: Here, rule: ReadyRule, variables: Variables): void {
  const { place } = outer;
  const at = rule.fieldPath === "" ? place.at : place.at.child(rule.fieldPath);
  const here = { ...outer, place: { ...place, at } };
  const first = at.errors.length;
  const message = messageOf(here, rule, variables);
  if (message !== undefined) reportWith(here, rule.rule, message);
  if (!rule.usesOldSelf && isUnchanged(place.ratchet))
    for (const error of at.errors.splice(first)) at.warn(`${error.field}: ${error.message}`);
}

const isUnchanged = ({ current, above }: Ratchet): boolean => (current ?? above)?.isSame ?? false;

/** What is said of a value that breaks a rule; undefined if that was given up. */
function messageOf(
  here: Here,
  { rule, message }: ReadyRule,
  variables: Variables,
): string | undefined {
  const otherwise = rule.message ? rule.message.trim() : `failed rule: ${shownRule(rule)}`;
  if (message === undefined) return otherwise;
  const evaluated = charged(here.run, message, variables);
  if (evaluated === undefined) {
    const what = "messageExpression evaluation failed due to running out of cost budget";
    return giveUp(here, `${what}, no further validation rules will be run`);
  }
  if ("value" in evaluated) return usableText(evaluated.value) ?? otherwise;
  if (!evaluated.isTooExpensive) return otherwise;
  const shown = quote(rule.messageExpression ?? "");
  return giveUp(
    here,
    `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${shown}`,
  );
}

/** A message may be one line of so many bytes. */
const longestMessage = 5 * 1024;

function usableText(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const isLine = text !== "" && !text.includes("\n");
  return isLine && new TextEncoder().encode(text).length <= longestMessage ? text : undefined;
}

const shownRule = ({ rule, message }: ValidationRule): string => (message || rule).trim();

function reportWith({ place, schema }: Here, { reason }: ValidationRule, detail: string): void {
  const { at } = place;
  const isContainer = schema.type === "object" || schema.type === "array";
  const value = isContainer ? omitted : place.value;
  const field = fieldAt(at);
  if (reason === "FieldValueForbidden") at.forbidden(field, detail);
  else if (reason === "FieldValueRequired") at.required(field, detail);
  else if (reason === "FieldValueDuplicate") at.duplicate(field, value);
  else at.invalid(field, value, detail);
}

/** Reports why neither this rule nor any other is evaluated. */
function giveUp(here: Here, detail: string): undefined {
  invalid(here, detail);
  here.run.budget = -1;
}

function invalid({ place: { at }, schema }: Here, detail: string): void {
  at.invalid(fieldAt(at), schema.type ?? "", detail);
}

/** A whole object has no path, and upstream shows that. */
const fieldAt = (at: At): string => (at.path === "" ? "<nil>" : "");
