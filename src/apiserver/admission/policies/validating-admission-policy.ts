import {
  type ValidatingAdmissionPolicy as Policy,
  ValidatingAdmissionPolicy,
} from "../../../api/admissionregistration/v1/validating-admission-policy.ts";
import {
  type ValidatingAdmissionPolicyBinding as Binding,
  ValidatingAdmissionPolicyBinding,
} from "../../../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { CelValue } from "../../../cel/values/cel-value.ts";
import { fromJson } from "../../../cel/values/json-value.ts";
import { MatchConditionMetrics } from "../../metrics/match-condition-metrics.ts";
import { ValidatingPolicyMetrics } from "../../metrics/policy-metrics.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { namespaceVariable } from "../expressions/namespace-variable.ts";
import type { RequestVariables } from "../expressions/request-variables.ts";
import { RequestViews } from "../expressions/request-views.ts";
import type { PluginSetup } from "../plugins.ts";
import { isExemptFromPolicies } from "./exempt-resources.ts";
import { type Invocation, invocationsFor } from "./invocations.ts";
import { type BoundPolicy, PolicySource } from "./policy-source.ts";
import {
  type ValidatingEvaluator,
  type ValidationOutcome,
  validatingEvaluator,
} from "./validating-evaluator.ts";
import { Verdict } from "./verdict.ts";

type Bound = BoundPolicy<Policy, Binding, ValidatingEvaluator>;

/** Rejects, warns of and annotates requests as ValidatingAdmissionPolicies say. */
export function validatingAdmissionPolicy(
  setup: Pick<PluginSetup, "reader" | "resources" | "access" | "metrics" | "ticks">,
): AdmissionPlugin {
  const { reader, access, metrics, ticks } = setup;
  const conditionMetrics = new MatchConditionMetrics(metrics);
  const policyMetrics = new ValidatingPolicyMetrics(metrics);
  const source = new PolicySource<Policy, Binding, ValidatingEvaluator>({
    ...setup,
    policies: ValidatingAdmissionPolicy,
    bindings: ValidatingAdmissionPolicyBinding,
    compile: ({ metadata: { name = "" }, spec }) =>
      validatingEvaluator({ name, spec }, { conditionMetrics, ticks }),
  });
  return {
    name: "ValidatingAdmissionPolicy",
    operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],

    validate(attributes) {
      if (isExemptFromPolicies(attributes)) return undefined;
      const policies = source.inForce();
      return policies.length === 0 ? undefined : validate(policies, attributes);
    },
  };

  /** Evaluates all that is meant for the request, although the first denial decides: the others warn and annotate. */
  async function validate(policies: readonly Bound[], attributes: Attributes): Promise<void> {
    const invocations = await invocationsFor(setup, policies, attributes);
    if (invocations.length === 0) return;
    const verdict = new Verdict(attributes, policyMetrics);
    const views = new RequestViews(attributes, access.authorizer);
    const namespace = await namespaceVariable(reader, attributes);
    for (const invocation of invocations) {
      if ("fault" in invocation) verdict.addFault(invocation);
      else {
        const outcome = await evaluate(invocation, views, namespace);
        if ("fault" in outcome) verdict.addFault({ ...invocation, ...outcome });
        else verdict.add(invocation, outcome);
      }
    }
    verdict.close();
  }
}

async function evaluate(
  { evaluator, seenAs, params }: Invocation<Policy, Binding, ValidatingEvaluator>,
  views: RequestViews,
  namespace: CelValue,
): Promise<ValidationOutcome | { readonly fault: string }> {
  let request: RequestVariables;
  try {
    request = await views.as(seenAs);
  } catch (error) {
    const fault = `failed to configure binding: failed to convert object version: ${errorMessage(error)}`;
    return { fault };
  }
  return evaluator({ request, namespace, params: fromJson(params ?? null) });
}
