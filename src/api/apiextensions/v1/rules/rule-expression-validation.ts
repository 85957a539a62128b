import { uncountable } from "../../../../cel/cost/estimate.ts";
import type { At } from "../../../../schema/language/report.ts";
import { goRule } from "../internal-form.ts";
import { type CompiledRule, createRuleCompiler } from "./rule-expression.ts";
import type { RuleReport, RuleScope } from "./rule-scope.ts";
import { maxRequestBytes } from "./rule-types.ts";

/** A rule may cost so much, and all the rules of a schema together that. */
const maxRuleCost = 10_000_000;
const maxSchemaCost = 100_000_000;

export interface RuleOptions {
  /** The highest place from which values cannot be told apart from those that were there before. */
  readonly uncorrelatedFrom: string | undefined;
  /** In an update that leaves the schema as it was, a rule may cost more than it may. */
  readonly allowCosts: boolean;
}

/** The rules of the expressions at a place in a schema, reported where `scope` keeps them. */
export function validateRuleExpressions(
  scope: RuleScope,
  path: string,
  { uncorrelatedFrom, allowCosts }: RuleOptions,
): void {
  const { report, schema } = scope;
  const at = report.at.child(path).child("x-kubernetes-validations");
  const type = scope.type();
  if (type === undefined) {
    at.internal(
      "",
      "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
    );
    return;
  }
  const compileRule = createRuleCompiler(type);
  const count = scope.count ?? Math.floor(maxRequestBytes / (type.minSize + 1));
  for (const [i, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    const here = at.index(i);
    const compiled = compileRule(rule);
    const cost = Math.min((compiled.program?.maxCost() ?? 0) * count, uncountable);
    if (!allowCosts) limitCost(cost, "estimated rule cost", here.child("rule"));
    observe(report, here.child("rule"), cost);
    if (compiled.fault !== undefined) here.invalid("rule", goRule(rule), compiled.fault);
    validateMessage(compiled, here, { report, allowCosts, shown: goRule(rule) });
    if (!compiled.usesOldSelf) {
      if (rule.optionalOldSelf !== undefined) {
        const detail = "may not be set if oldSelf is not used in rule";
        here.invalid("optionalOldSelf", rule.optionalOldSelf, detail);
      }
    } else if (uncorrelatedFrom !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatedFrom}`;
      here.invalid("rule", rule.rule, detail);
    }
  }
}

/** The limit on what all the rules of a schema cost together. */
export function validateTotalCost({ at, total, expensive }: RuleReport, path: string): void {
  if (total <= maxSchemaCost) return;
  const detail =
    "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  for (const rule of expensive) at.forbidden(rule.path, detail);
  const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  at.forbidden(path, costMessage(name, total / maxSchemaCost));
}

function validateMessage(
  { messageFault, message }: CompiledRule,
  at: At,
  { report, allowCosts, shown }: { report: RuleReport; allowCosts: boolean; shown: unknown },
): void {
  if (messageFault !== undefined) at.invalid("messageExpression", shown, messageFault);
  if (message === undefined) return;
  const here = at.child("messageExpression");
  const cost = message.maxCost();
  if (!allowCosts) limitCost(cost, "estimated messageExpression cost", here);
  observe(report, here, cost);
}

function limitCost(cost: number, name: string, at: At): void {
  if (cost > maxRuleCost) at.forbidden("", costMessage(name, cost / maxRuleCost));
}

/** Adds a cost to the total; of those that matter the four largest are remembered. */
function observe(report: RuleReport, at: At, cost: number): void {
  report.total = Math.min(report.total + cost, uncountable);
  if (cost < maxSchemaCost / 100) return;
  report.expensive = [...report.expensive, { path: at.path, cost }]
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 4);
}

function costMessage(name: string, factor: number): string {
  let shown = `${factor.toFixed(1)}x`;
  if (factor > 100) shown = "more than 100x";
  else if (factor < 1.5) shown = `${factor.toFixed(6)}x`;
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
