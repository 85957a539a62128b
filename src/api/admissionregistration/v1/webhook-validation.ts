import { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isDns1035Label, isFullyQualifiedName } from "../../../schema/values/names.ts";
import { validateLabelSelector } from "../../meta/v1/label-selector.ts";
import { validateMatchConditions } from "./match-condition.ts";
import { matchPolicies } from "./match-resources.ts";
import { validateRuleWithOperations } from "./rule-validation.ts";
import type { MutatingWebhook, ValidatingWebhook } from "./webhook.ts";
import { validateWebhookClientConfig } from "./webhook-client-config.ts";

type Webhook = ValidatingWebhook & Partial<Pick<MutatingWebhook, "reinvocationPolicy">>;

export const failurePolicies: readonly string[] = ["Fail", "Ignore"];
export const reinvocationPolicies: readonly string[] = ["IfNeeded", "Never"];
const sideEffectClasses = ["None", "NoneOnDryRun", "Some", "Unknown"];
const noSideEffects = ["None", "NoneOnDryRun"];
const reviewVersions = ["v1", "v1beta1"];

/** The rules of the webhooks of a configuration; an update may keep what was wrong before. */
export function validateWebhooks(
  webhooks: readonly Webhook[] = [],
  old: readonly Webhook[] | undefined,
  at: At,
): void {
  const options = old ? updateOptions(webhooks, old) : strict;
  const names = new Set<string>();
  for (const [i, webhook] of webhooks.entries()) {
    const here = at.child("webhooks").index(i);
    validateWebhook(webhook, here, options);
    validateReviewVersions(webhook, here.child("admissionReviewVersions"), options);
    if (!options.uniqueNames || webhook.name === "") continue;
    if (names.has(webhook.name)) here.duplicate("name", webhook.name);
    names.add(webhook.name);
  }
}

interface Options {
  readonly ignoreMatchConditions: boolean;
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly allowInvalidValues: boolean;
}

const strict: Options = {
  ignoreMatchConditions: false,
  noSideEffects: true,
  knownReviewVersion: true,
  uniqueNames: true,
  allowInvalidValues: false,
};

function updateOptions(webhooks: readonly Webhook[], old: readonly Webhook[]): Options {
  return {
    ignoreMatchConditions:
      webhooks.length === old.length &&
      old.every((was, i) => sameValue(was.matchConditions, webhooks[i]?.matchConditions)),
    noSideEffects: old.every(({ sideEffects }) => noSideEffects.includes(sideEffects ?? "")),
    knownReviewVersion: old.every(
      ({ admissionReviewVersions: versions }) =>
        (versions ?? []).length === 0 || hasKnownVersion(versions),
    ),
    uniqueNames: new Set(old.map(({ name }) => name)).size === old.length,
    allowInvalidValues: old.some(hasInvalidSelector),
  };
}

function hasInvalidSelector({ namespaceSelector, objectSelector }: Webhook): boolean {
  const report = At.root();
  validateLabelSelector(namespaceSelector, report);
  validateLabelSelector(objectSelector, report);
  return report.errors.length > 0;
}

function validateWebhook(webhook: Webhook, at: At, options: Options): void {
  const { matchPolicy, failurePolicy, reinvocationPolicy, timeoutSeconds } = webhook;
  for (const fault of isFullyQualifiedName(webhook.name)) {
    if (fault.type === "Required") at.required("name");
    else at.invalid("name", fault.value, fault.detail);
  }
  for (const [i, rule] of (webhook.rules ?? []).entries())
    validateRuleWithOperations(rule, at.child("rules").index(i));
  validateChoice(failurePolicy, at.child("failurePolicy"), failurePolicies);
  validateChoice(matchPolicy, at.child("matchPolicy"), matchPolicies);
  validateSideEffects(webhook, at.child("sideEffects"), options);
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1))
    at.invalid(
      "timeoutSeconds",
      timeoutSeconds,
      "the timeout value must be between 1 and 30 seconds",
    );
  for (const selector of ["namespaceSelector", "objectSelector"] as const)
    validateLabelSelector(webhook[selector], at.child(selector), options);
  validateChoice(reinvocationPolicy, at.child("reinvocationPolicy"), reinvocationPolicies);
  validateWebhookClientConfig(webhook.clientConfig, at.child("clientConfig"));
  if (!options.ignoreMatchConditions)
    validateMatchConditions(webhook.matchConditions, at.child("matchConditions"));
}

/** One of these, if there is a value at all. */
export function validateChoice(
  value: string | undefined,
  at: At,
  choices: readonly string[],
): void {
  if (value !== undefined && !choices.includes(value)) at.notSupported("", value, choices);
}

function validateSideEffects({ sideEffects }: Webhook, at: At, options: Options): void {
  const allowed = options.noSideEffects ? noSideEffects : sideEffectClasses;
  if (sideEffects === undefined || sideEffects === null)
    at.required("", `must specify one of ${allowed.join(", ")}`);
  else validateChoice(sideEffects, at, allowed);
}

function validateReviewVersions(
  { admissionReviewVersions: versions }: Webhook,
  at: At,
  { knownReviewVersion }: Options,
): void {
  if (!versions || versions.length === 0) {
    at.required("", `must specify one of ${reviewVersions.join(", ")}`);
    return;
  }
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) at.index(i).invalid("", version, "duplicate version");
    else at.index(i).invalidEach("", version, isDns1035Label(version));
  }
  if (knownReviewVersion && !hasKnownVersion(versions))
    at.invalid("", versions, `must include at least one of ${reviewVersions.join(", ")}`);
}

const hasKnownVersion = (versions: readonly string[]): boolean =>
  versions.some((version) => reviewVersions.includes(version));
