import {
  MutatingAdmissionPolicy,
  type MutatingAdmissionPolicy as Policy,
} from "../../../api/admissionregistration/v1/mutating-admission-policy.ts";
import {
  type MutatingAdmissionPolicyBinding as Binding,
  MutatingAdmissionPolicyBinding,
} from "../../../api/admissionregistration/v1/mutating-admission-policy-binding.ts";
import { internalError } from "../../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { MatchConditionMetrics } from "../../metrics/match-condition-metrics.ts";
import { MutatingPolicyMetrics } from "../../metrics/policy-metrics.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { AdmissionPlugin, AdmissionRun, Attributes } from "../admission.ts";
import { callerAuthorizer } from "../expressions/caller-authorizer.ts";
import { namespaceVariable } from "../expressions/namespace-variable.ts";
import { MutatedObject } from "../mutating/mutated-object.ts";
import { Reinvocation } from "../mutating/reinvocation.ts";
import type { PluginSetup } from "../plugins.ts";
import { isExemptFromPolicies } from "./exempt-resources.ts";
import { type Invocation, invocationsFor } from "./invocations.ts";
import { Mutating } from "./mutating.ts";
import { type MutatingEvaluator, mutatingEvaluator } from "./mutating-evaluator.ts";
import { MutationFaults } from "./mutation-faults.ts";
import { type BoundPolicy, PolicySource } from "./policy-source.ts";

type Evaluator = () => MutatingEvaluator;
type Bound = BoundPolicy<Policy, Binding, Evaluator>;
type Invoked = Invocation<Policy, Binding, Evaluator>;

/** Changes objects as MutatingAdmissionPolicies say, one after the other. */
export function mutatingAdmissionPolicy(
  setup: Pick<PluginSetup, "reader" | "resources" | "access" | "metrics" | "ticks">,
): AdmissionPlugin {
  const { reader, resources, access, metrics, ticks } = setup;
  const conditionMetrics = new MatchConditionMetrics(metrics);
  const policyMetrics = new MutatingPolicyMetrics(metrics);
  const source = new PolicySource<Policy, Binding, Evaluator>({
    ...setup,
    policies: MutatingAdmissionPolicy,
    bindings: MutatingAdmissionPolicyBinding,
    compile: ({ metadata: { name = "" }, spec }) =>
      mutatingEvaluator({ name, spec }, { conditionMetrics, ticks, resources }),
  });
  const reinvocations = new WeakMap<AdmissionRun, Reinvocation>();
  return {
    name: "MutatingAdmissionPolicy",
    // The object of a deletion cannot be changed.
    operations: ["CREATE", "UPDATE", "CONNECT"],

    admit(attributes, run) {
      if (isExemptFromPolicies(attributes as Attributes)) return undefined;
      const policies = source.inForce();
      return policies.length === 0 ? undefined : admit(policies, attributes, run);
    },
  };

  async function admit(
    policies: readonly Bound[],
    attributes: Attributes<ObjectDraft>,
    run: AdmissionRun,
  ): Promise<void> {
    const found = await invocationsFor(setup, policies, attributes as Attributes);
    if (found.length === 0) return;
    const faults = new MutationFaults();
    const invocations: Invoked[] = [];
    for (const each of found)
      if ("fault" in each) faults.add(each);
      else invocations.push(each);
    if (invocations.length > 0) await mutate(invocations, attributes, { run, faults });
    const rejected = faults.rejectionOf(attributes);
    if (rejected) throw rejected;
  }

  async function mutate(
    invocations: readonly Invoked[],
    attributes: Attributes<ObjectDraft>,
    { run, faults }: { readonly run: AdmissionRun; readonly faults: MutationFaults },
  ): Promise<void> {
    const reinvocation = reinvocations.get(run) ?? new Reinvocation();
    reinvocations.set(run, reinvocation);
    if (run.isSecond) reinvocation.begin(attributes.object);
    const object = new MutatedObject(attributes);
    const mutating = new Mutating({
      object,
      faults,
      authorize: callerAuthorizer(access.authorizer, attributes.context.user),
      namespace: await namespaceVariable(reader, attributes as Attributes),
      metrics: policyMetrics,
      ticks,
    });
    for (const invocation of invocations) {
      const reinvocable = { id: idOf(invocation), ...invocation.policy.spec };
      const isDone = run.isSecond && !reinvocation.isNeeded(reinvocable);
      // Conditions that cannot be evaluated are a fault, though the policy is not to run again.
      if (isDone && !invocation.policy.spec.matchConditions?.length) continue;
      const meant = await mutating.prepare(invocation);
      if (!meant || isDone) continue;
      await mutating.mutate(invocation, meant);
      reinvocation.called(reinvocable);
    }
    if (object.isChanged) {
      // Upstream does not tell a mutation from one that changes nothing.
      reinvocation.changed();
      run.isNeededAgain = true;
      await writeBack(object);
    }
    reinvocation.end(attributes.object);
  }
}

/** No name has a slash. */
function idOf({ policy, binding, params }: Invoked): string {
  const { namespace = "", name = "" } = params?.metadata ?? {};
  return `${policy.metadata.name}/${binding.metadata.name}/${namespace}/${name}`;
}

async function writeBack(object: MutatedObject): Promise<void> {
  try {
    await object.writeBack();
  } catch (error) {
    const message = `failed to convert object: ${errorMessage(error)}`;
    throw internalError(new Error(message));
  }
}
