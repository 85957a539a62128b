import { errorMessage } from "../../../base/error-message.ts";
import type { Authorize } from "../../../cel/values/authorizer-value.ts";
import type { CelValue } from "../../../cel/values/cel-value.ts";
import { fromJson } from "../../../cel/values/json-value.ts";
import type { MutatingPolicyMetrics } from "../../metrics/policy-metrics.ts";
import { RequestVariables } from "../expressions/request-variables.ts";
import type { SeenRequest } from "../matching/seen-request.ts";
import type { MutatedObject } from "../mutating/mutated-object.ts";
import type { Invocation } from "./invocations.ts";
import type { MutatingEvaluator } from "./mutating-evaluator.ts";
import { MutationFault } from "./mutation-fault.ts";
import type { MutationFaults } from "./mutation-faults.ts";
import type { BindingObject, PolicyObject } from "./policy-source.ts";

type Invoked = Invocation<PolicyObject, BindingObject, () => MutatingEvaluator>;

export interface MutatingParts {
  readonly object: MutatedObject;
  /** Where the faults of policies go. */
  readonly faults: MutationFaults;
  readonly authorize: Authorize;
  /** The variable `namespaceObject`. */
  readonly namespace: CelValue;
  readonly metrics: MutatingPolicyMetrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
}

/** The changes that policies make to the object of one request, in turn. */
export class Mutating {
  readonly #parts: MutatingParts;

  constructor(parts: MutatingParts) {
    this.#parts = parts;
  }

  /** The request as the policy sees it; undefined if the policy is not meant, or at fault. */
  async prepare({
    policy,
    binding,
    evaluator,
    seenAs,
    params,
  }: Invoked): Promise<SeenRequest | undefined> {
    const { object, faults } = this.#parts;
    let seen: SeenRequest;
    try {
      seen = await object.seeAs(seenAs);
    } catch (error) {
      faults.add({ policy, fault: `failed to configure policy: ${errorMessage(error)}` });
      return undefined;
    }
    const outcome = await evaluator().matches(this.#input(seen, fromJson(params ?? null)));
    if ("matches" in outcome) return outcome.matches ? seen : undefined;
    faults.add({ policy, binding, fault: outcome.error }, "Invalid");
    return undefined;
  }

  /** Makes the changes of a policy: each sees what those before it made, though one of them failed. */
  async mutate({ policy, binding, evaluator, params }: Invoked, seen: SeenRequest) {
    const { object, faults, metrics, ticks } = this.#parts;
    const names = { policy: policy.metadata.name ?? "", binding: binding.metadata.name ?? "" };
    let now = seen;
    for (const mutation of evaluator().mutations) {
      const begun = ticks();
      const seconds = () => (ticks() - begun) / 1000;
      try {
        now = await mutation(this.#input(now, fromJson(params ?? null)));
        object.change(now);
        metrics.observe({ ...names, seconds: seconds() });
      } catch (error) {
        const fault = errorMessage(error);
        metrics.observe({ ...names, message: fault, seconds: seconds() });
        if (!(error instanceof MutationFault)) throw error;
        faults.add({ policy, binding, fault }, "Invalid");
      }
    }
  }

  #input(seen: SeenRequest, params: CelValue) {
    const { authorize, namespace } = this.#parts;
    return { request: new RequestVariables(seen, authorize), namespace, params };
  }
}
