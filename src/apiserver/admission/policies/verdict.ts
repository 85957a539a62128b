import type { ValidatingAdmissionPolicy } from "../../../api/admissionregistration/v1/validating-admission-policy.ts";
import type { ValidatingAdmissionPolicyBinding } from "../../../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import { type Reason, StatusError } from "../../../api/meta/v1/status-error.ts";
import type { EnforcementAction, ValidatingPolicyMetrics } from "../../metrics/policy-metrics.ts";
import type { Attributes } from "../admission.ts";
import { annotate } from "../annotate.ts";
import { rejection } from "../rejection.ts";
import type { ConfigurationFault } from "./invocations.ts";
import { PolicyAnnotations } from "./policy-annotations.ts";
import type { Decision, ValidationOutcome } from "./validating-evaluator.ts";

type Policy = ValidatingAdmissionPolicy;
type Binding = ValidatingAdmissionPolicyBinding;

/** A policy and a binding that have been evaluated. */
interface By {
  readonly policy: Policy;
  readonly binding: Binding;
}

/** What all policies together say of a request. */
export class Verdict {
  readonly #attributes: Attributes;
  readonly #metrics: ValidatingPolicyMetrics;
  /** The first denial, which decides. */
  #denial: StatusError | undefined;
  readonly #annotations = new Map<string, PolicyAnnotations>();

  constructor(attributes: Attributes, metrics: ValidatingPolicyMetrics) {
    this.#attributes = attributes;
    this.#metrics = metrics;
  }

  /** A policy that could not be evaluated. */
  addFault({ policy, binding, fault }: ConfigurationFault<Policy, Binding>): void {
    if (policy.spec.failurePolicy !== "Ignore") this.#deny({ policy, binding }, fault, "");
  }

  add(by: By, { decisions, annotations }: ValidationOutcome): void {
    for (const [index, decision] of decisions.entries()) this.#enforce(by, decision, index);
    for (const annotation of annotations) {
      if ("error" in annotation) {
        const { error: message, seconds } = annotation;
        this.#observe(by, { message, seconds }, "deny");
        this.#deny(by, message, "");
      } else this.#annotationsOf(by.policy).add(annotation.key, annotation.value);
    }
  }

  /** Publishes the annotations, and rejects the request if a policy denies it. */
  close(): void {
    const { context } = this.#attributes;
    for (const [policy, annotations] of this.#annotations) annotations.publish(context, policy);
    if (this.#denial) throw this.#denial;
  }

  #enforce(by: By, decision: Decision, index: number): void {
    if (!decision.isDenied) {
      if (decision.isError) this.#observe(by, decision, "allow");
      return;
    }
    for (const action of by.binding.spec.validationActions ?? []) {
      if (action === "Deny") this.#deny(by, decision.message, decision.reason);
      else if (action === "Audit") this.#audit(by, decision, index);
      else if (action === "Warn") this.#warn(by, decision);
      this.#observe(by, decision, action.toLowerCase() as EnforcementAction);
    }
  }

  #deny(
    { policy, binding }: { readonly policy: Policy; readonly binding?: Binding | undefined },
    why: string,
    reason: string,
  ): void {
    const through = binding ? ` with binding '${binding.metadata.name}'` : "";
    const message = `ValidatingAdmissionPolicy '${policy.metadata.name}'${through} denied request: ${why}`;
    this.#denial ??= denied(this.#attributes, message, reason);
  }

  #warn({ policy, binding }: By, { message }: Decision): void {
    this.#attributes.context.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}': ${message}`,
    );
  }

  #audit({ binding: { metadata, spec } }: By, { message }: Decision, index: number): void {
    const failure = {
      message,
      policy: spec.policyName,
      binding: metadata.name,
      expressionIndex: index,
      validationActions: spec.validationActions,
    };
    const key = "validation.policy.admission.k8s.io/validation_failure";
    annotate(this.#attributes.context, key, JSON.stringify([failure]));
  }

  #observe(
    { policy, binding }: By,
    { message, seconds }: Pick<Decision, "message" | "seconds">,
    action: EnforcementAction,
  ): void {
    const names = { policy: policy.metadata.name ?? "", binding: binding.metadata.name ?? "" };
    this.#metrics.observe({ ...names, action, message, seconds });
  }

  #annotationsOf({ metadata: { name = "" } }: Policy): PolicyAnnotations {
    const annotations = this.#annotations.get(name) ?? new PolicyAnnotations();
    this.#annotations.set(name, annotations);
    return annotations;
  }
}

/** The error of a request that is denied for a reason; without one, it is invalid. */
function denied(attributes: Attributes, message: string, reason: string): StatusError {
  const { message: whole, details } = rejection(attributes, message);
  const known = reasons.has(reason) ? (reason as Reason) : "Invalid";
  return new StatusError(known, whole, { details: { ...details, causes: [{ message }] } });
}

const reasons: ReadonlySet<string> = new Set([
  "Forbidden",
  "Invalid",
  "RequestEntityTooLarge",
  "Unauthorized",
]);
