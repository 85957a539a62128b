import {
  type MutatingAdmissionPolicySpec,
  mutationResults,
} from "../../../api/admissionregistration/v1/mutating-admission-policy-spec.ts";
import type { CelValue } from "../../../cel/values/cel-value.ts";
import type { ApiObject } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import {
  type AdmissionExpression,
  compilationFault,
  type Evaluated,
  evaluateExpressions,
} from "../expressions/evaluate-expressions.ts";
import { type MatchOutcome, matchConditions } from "../expressions/match-conditions.ts";
import { objectKindOf, type SeenRequest } from "../matching/seen-request.ts";
import { applyConfiguration, type Target } from "./apply-configuration.ts";
import { applyEvaluatedPatch } from "./evaluated-patch.ts";
import { MutationFault } from "./mutation-fault.ts";
import {
  type EvaluatorSetup,
  evaluationBudget,
  PolicyExpressions,
  type PolicyInput,
} from "./policy-expressions.ts";

/**
 * One change of a policy: returns the request with the changed object. Throws MutationFault, or a StatusError that ends
 * the request, whatever the failurePolicy is.
 */
export type Mutation = (input: PolicyInput) => SeenRequest | Promise<SeenRequest>;

/** A mutating policy for one request and one parameter: whether it is meant, and what it changes, in order. */
export interface MutatingEvaluator {
  readonly matches: (input: PolicyInput) => MatchOutcome | Promise<MatchOutcome>;
  readonly mutations: readonly Mutation[];
}

export interface MutatingEvaluatorSetup extends EvaluatorSetup {
  readonly resources: Resources;
}

/** The evaluator of a mutating policy, which is compiled when it is first needed. */
export function mutatingEvaluator(
  policy: { readonly name: string; readonly spec: MutatingAdmissionPolicySpec },
  setup: MutatingEvaluatorSetup,
): () => MutatingEvaluator {
  let compiled: MutatingEvaluator | undefined;
  return () => {
    compiled ??= compile(policy, setup);
    return compiled;
  };
}

function compile(
  { name, spec }: { readonly name: string; readonly spec: MutatingAdmissionPolicySpec },
  { conditionMetrics: metrics, ticks, resources }: MutatingEvaluatorSetup,
): MutatingEvaluator {
  const { matchConditions: conditions, failurePolicy, mutations = [] } = spec;
  const expressions = new PolicyExpressions(spec);
  const { compiler, hasParams, variables } = expressions;
  const mutationOf = (
    expression: AdmissionExpression,
    change: (target: Target, value: CelValue) => ApiObject,
  ): Mutation => {
    const { compiled } = expression;
    if (!("program" in compiled))
      return () => {
        throw new MutationFault(compilationFault(compiled));
      };
    return (input) => {
      const { seen } = input.request;
      const changed = (evaluated: Evaluated) => changedBy(seen, evaluated, change);
      const scope = { ...input, variables, hasAuthorizer: true };
      const limits = { budget: evaluationBudget, ticks };
      const evaluated = evaluateExpressions([expression], scope, limits);
      return evaluated instanceof Promise ? evaluated.then(changed) : changed(evaluated);
    };
  };
  const matches = matchConditions({
    conditions,
    failurePolicy,
    owner: { name, kind: "policy", type: "validate" },
    metrics,
    ticks,
    compiler,
    hasParams,
  });
  const types = { hasPatchTypes: true };
  return {
    matches: ({ request, params = null }) => matches({ request, params, variables }),
    mutations: mutations.map(({ patchType, applyConfiguration: part, jsonPatch }) => {
      const { expression = "" } = (patchType === "JSONPatch" ? jsonPatch : part) ?? {};
      if (patchType !== "JSONPatch")
        return mutationOf(
          expressions.compile(expression, [mutationResults.applyConfiguration], types),
          applyConfiguration,
        );
      return mutationOf(
        expressions.compile(expression, [mutationResults.jsonPatch], types),
        (target, value) => applyEvaluatedPatch(target, value, resources),
      );
    }),
  };
}

function changedBy(
  seen: SeenRequest,
  evaluated: Evaluated,
  change: (target: Target, value: CelValue) => ApiObject,
): SeenRequest {
  if ("exhausted" in evaluated) throw new MutationFault(evaluated.exhausted);
  const [result] = evaluated.results;
  if (!result || !seen.object) return seen;
  if ("error" in result) throw new MutationFault(result.error);
  const object = change({ object: seen.object, kind: objectKindOf(seen) }, result.value);
  return object === seen.object ? seen : { ...seen, object };
}
