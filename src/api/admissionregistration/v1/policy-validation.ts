import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { type MatchCondition, validateMatchConditions } from "./match-condition.ts";
import { type MatchResources, validateMatchResources } from "./match-resources.ts";
import { ParamKind, validateParamKind } from "./param.ts";
import { validateMutatingOperations } from "./rule-validation.ts";
import { failurePolicies, validateChoice } from "./webhook-validation.ts";

export interface PolicyOptions {
  /** In an update that changes nothing they depend on, match conditions are not looked at. */
  readonly ignoreMatchConditions: boolean;
  /** Whether the policy changes objects, which is not possible in deletions. */
  readonly mutating?: true;
}

interface PolicySubject {
  readonly paramKind?: ParamKind | undefined;
  readonly matchConstraints?: MatchResources | undefined;
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  readonly failurePolicy?: string | undefined;
}

/** The rules of what a policy looks at, and of what it does when it fails. */
export function validatePolicySubject(
  { paramKind, matchConstraints, matchConditions, failurePolicy }: PolicySubject,
  at: At,
  { ignoreMatchConditions, mutating }: PolicyOptions,
): void {
  if (failurePolicy === undefined) at.required("failurePolicy");
  else validateChoice(failurePolicy, at.child("failurePolicy"), failurePolicies);
  if (paramKind) validateParamKind(paramKind, at.child("paramKind"));
  if (!matchConstraints) at.required("matchConstraints");
  else {
    const here = at.child("matchConstraints");
    const { resourceRules = [] } = matchConstraints;
    validateMatchResources(matchConstraints, here);
    if (resourceRules.length === 0) here.required("resourceRules");
    if (mutating) validateMutatingOperations(resourceRules, here);
  }
  if (!ignoreMatchConditions)
    validateMatchConditions(matchConditions, at.child("matchConditions"), {
      hasParams: paramKind !== undefined,
    });
}

/** Whether an update leaves all as it was that could make match conditions invalid. */
export const keepsMatchConditions = (policy: PolicySubject, old: PolicySubject): boolean =>
  sameParamKind(policy.paramKind, old.paramKind) &&
  sameValue(policy.matchConditions, old.matchConditions);

const sameParamKind = (a: ParamKind | undefined, b: ParamKind | undefined): boolean =>
  a && b ? semanticEqual(ParamKind, a, b) : a === b;
