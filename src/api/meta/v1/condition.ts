import { int64, named, string, time } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isQualifiedName, regexError } from "../../../schema/values/names.ts";

/** Whether a condition holds. */
export const conditionStatus = (tag: number) =>
  named(tag, "v1.ConditionStatus")
    .always()
    .expected()
    .known("True", "False", "Unknown")
    .doc("Whether it holds.");

export const Condition = struct("io.k8s.apimachinery.pkg.apis.meta.v1.Condition", {
  type: string(1).always().expected().doc("What the condition is about."),
  status: conditionStatus(2),
  observedGeneration: int64(3).doc("The generation of the object that was looked at."),
  lastTransitionTime: time(4).always().expected().doc("When the status last changed."),
  reason: string(5).always().expected().doc("Why it last changed, for machines."),
  message: string(6).always().expected().doc("Why it last changed, for people."),
}).doc("One aspect of the state of an object.");
export interface Condition extends Infer<typeof Condition> {}

/**
 * The conditions that a kind had before all kinds shared one: the same but for their name, and for
 * what they can be about.
 */
export const ownCondition = (name: string, goType: string, ...known: readonly string[]) =>
  struct(name, {
    type: knownAs(named(1, goType).always().expected(), known).doc("What the condition is about."),
    status: conditionStatus(2),
    lastTransitionTime: time(3).always().doc("When the status last changed."),
    reason: string(4).doc("Why it last changed, for machines."),
    message: string(5).doc("Why it last changed, for people."),
  });

const knownAs = <F extends { known(...values: readonly string[]): F }>(
  field: F,
  values: readonly string[],
): F => (values.length > 0 ? field.known(...values) : field);

/** The rules of a list of conditions: each is well formed, and no type comes twice. */
export function validateConditions(conditions: readonly Condition[] | undefined, at: At): void {
  const types = new Set<string>();
  for (const [i, condition] of (conditions ?? []).entries()) {
    if (types.has(condition.type)) at.index(i).duplicate("type", condition.type);
    types.add(condition.type);
    validateCondition(condition, at.index(i));
  }
}

const maxReason = 1024;
const maxMessage = 32 * 1024;
const reason = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonRe = new RegExp(`^(?:${reason})$`);
const reasonText = regexError(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reason,
  ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"],
);
const encoder = new TextEncoder();

function validateCondition(condition: Condition, at: At): void {
  at.invalidEach("type", condition.type, isQualifiedName(condition.type));
  if (!["True", "False", "Unknown"].includes(condition.status))
    at.notSupported("status", condition.status, ["False", "True", "Unknown"]);
  if ((condition.observedGeneration ?? 0) < 0)
    at.invalid(
      "observedGeneration",
      condition.observedGeneration,
      "must be greater than or equal to zero",
    );
  if (!condition.lastTransitionTime) at.required("lastTransitionTime");
  if (!condition.reason) at.required("reason");
  else {
    if (!reasonRe.test(condition.reason)) at.invalid("reason", condition.reason, reasonText);
    if (encoder.encode(condition.reason).length > maxReason) at.tooLong("reason", maxReason);
  }
  if (encoder.encode(condition.message).length > maxMessage) at.tooLong("message", maxMessage);
}
