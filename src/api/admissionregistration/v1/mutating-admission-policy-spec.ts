import { type CelType, listType, structType } from "../../../cel/checking/cel-type.ts";
import { list, message, named, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import {
  type AdmissionCompiler,
  createAdmissionCompiler,
  reportExpression,
} from "./admission-expression.ts";
import { goTrim, matchCondition } from "./match-condition.ts";
import { matchResources } from "./match-resources.ts";
import { paramKind } from "./param.ts";
import { type PolicyOptions, validatePolicySubject } from "./policy-validation.ts";
import { packageOf } from "./rule.ts";
import { validateVariables, variable } from "./variable.ts";
import { reinvocationPolicies, validateChoice } from "./webhook-validation.ts";

/** One change that a policy makes; one struct for each version, all alike. */
function mutation(version: string) {
  const patch = (name: string, expression: string) =>
    struct(`${packageOf(version)}.${name}`, { expression: string(1).doc(expression) });
  const apply = patch(
    "ApplyConfiguration",
    "A CEL expression of a part of the object, which is applied to it.",
  ).doc("A change as a part of the object.");
  const json = patch("JSONPatch", "A CEL expression of a list of operations.").doc(
    "A change as operations of a JSON patch.",
  );
  return struct(`${packageOf(version)}.Mutation`, {
    patchType: named(2, `${version}.PatchType`)
      .always()
      .expected()
      .known("ApplyConfiguration", "JSONPatch")
      .doc("How the change is written."),
    applyConfiguration: message(3, apply).doc("The change as a part of the object."),
    jsonPatch: message(4, json).doc("The change as a JSON patch."),
  }).doc("One change that a policy makes to objects.");
}

/** What a mutating policy changes; one struct for each version, all alike. */
export function mutatingAdmissionPolicySpec(version: string) {
  const reinvocationPolicy = named(7, "v1.ReinvocationPolicyType").doc(
    "Whether it is evaluated again when others changed the object after it.",
  );
  if (version === "v1") reinvocationPolicy.known("Never", "IfNeeded");
  return struct(`${packageOf(version)}.MutatingAdmissionPolicySpec`, {
    paramKind: message(1, paramKind(version)).doc("The kind of its parameters, if it has any."),
    matchConstraints: message(2, matchResources(version)).doc("Which requests it looks at."),
    variables: list(3, variable(version)).atomic().doc("Values that its expressions share."),
    mutations: list(4, mutation(version)).atomic().doc("What it changes."),
    failurePolicy: named(5, `${version}.FailurePolicyType`)
      .pointer()
      .known("Ignore", "Fail")
      .default("Fail")
      .doc("What becomes of a request when the policy cannot be evaluated."),
    matchConditions: list(6, matchCondition(version))
      .keyedBy("name")
      .doc("CEL conditions that a request must meet to be looked at, all of them."),
    reinvocationPolicy,
  }).doc("What a policy changes in which requests.");
}

export interface MutatingAdmissionPolicySpec
  extends Infer<ReturnType<typeof mutatingAdmissionPolicySpec>> {}
type Mutation = NonNullable<MutatingAdmissionPolicySpec["mutations"]>[number];

const patchTypes = ["ApplyConfiguration", "JSONPatch"];

/** The rules of a mutating policy. */
export function validateMutatingPolicySpec(
  spec: MutatingAdmissionPolicySpec,
  at: At,
  options: Pick<PolicyOptions, "ignoreMatchConditions">,
): void {
  const { mutations = [], reinvocationPolicy = "" } = spec;
  const hasParams = spec.paramKind !== undefined;
  const compiler = createAdmissionCompiler({ hasVariables: true });
  validatePolicySubject(spec, at, { ...options, mutating: true });
  validateVariables(spec.variables, at.child("variables"), { compiler, hasParams });
  if (mutations.length === 0) at.required("mutations", "mutations must contain at least one item");
  for (const [i, change] of mutations.entries())
    validateMutation(change, at.child("mutations").index(i), { compiler, hasParams });
  if (reinvocationPolicy === "") at.required("reinvocationPolicy");
  else validateChoice(reinvocationPolicy, at.child("reinvocationPolicy"), reinvocationPolicies);
}

interface Expressions {
  readonly compiler: AdmissionCompiler;
  readonly hasParams: boolean;
}

function validateMutation(change: Mutation, at: At, expressions: Expressions): void {
  const { patchType } = change;
  if (patchType === "") at.required("patchType");
  else if (patchType === "JSONPatch")
    validatePatch(change, at, {
      ...expressions,
      wanted: "jsonPatch",
      other: "applyConfiguration",
    });
  else if (patchType === "ApplyConfiguration")
    validatePatch(change, at, {
      ...expressions,
      wanted: "applyConfiguration",
      other: "jsonPatch",
    });
  else at.notSupported("patchType", patchType, patchTypes);
}

type Patch = "jsonPatch" | "applyConfiguration";

/** What the expression of each kind of change must give. */
export const mutationResults: Readonly<Record<Patch, CelType>> = {
  jsonPatch: listType(structType("JSONPatch")),
  applyConfiguration: structType("Object"),
};

function validatePatch(
  change: Mutation,
  at: At,
  {
    wanted,
    other,
    compiler,
    hasParams,
  }: Expressions & { readonly wanted: Patch; readonly other: Patch },
): void {
  const patch = change[wanted];
  const expression = goTrim(patch?.expression ?? "");
  if (!patch) at.required(wanted, `must be specified when patchType is ${change.patchType}`);
  else if (expression === "") at.child(wanted).required("expression");
  else {
    const scope = { hasParams, hasAuthorizer: true, hasPatchTypes: true };
    const compiled = compiler.compile(expression, [mutationResults[wanted]], scope);
    reportExpression(at.child(wanted).child("expression"), expression, compiled);
  }
  if (change[other])
    at.invalid(other, `{${other}}`, `must not be specified when patchType is ${change.patchType}`);
}
