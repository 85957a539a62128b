import {
  int32,
  list,
  message,
  named,
  string,
  time,
  value,
} from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { PolicyRulesWithSubjects } from "./flow-schema-rules.ts";
import { validatePolicyRulesWithSubjects } from "./flow-schema-rules-validation.ts";

const prefix = "io.k8s.api.flowcontrol.v1";

export const PriorityLevelConfigurationReference = struct(
  `${prefix}.PriorityLevelConfigurationReference`,
  { name: string(1).always().expected().doc("The name of the priority level.") },
).doc("Names a priority level.");
export interface PriorityLevelConfigurationReference
  extends Infer<typeof PriorityLevelConfigurationReference> {}

export const FlowDistinguisherMethod = struct(`${prefix}.FlowDistinguisherMethod`, {
  type: named(1, "v1.FlowDistinguisherMethodType")
    .always()
    .expected()
    .known("ByUser", "ByNamespace")
    .doc("ByUser or ByNamespace."),
}).doc("How the requests that match are told apart into flows.");
export interface FlowDistinguisherMethod extends Infer<typeof FlowDistinguisherMethod> {}

export const FlowSchemaSpec = struct(`${prefix}.FlowSchemaSpec`, {
  priorityLevelConfiguration: value(1, PriorityLevelConfigurationReference)
    .expected()
    .doc("The priority level of the requests."),
  matchingPrecedence: int32(2)
    .always()
    .doc("Of the schemas that match, that with the lowest number is taken: 1 to 10000."),
  distinguisherMethod: message(3, FlowDistinguisherMethod).doc(
    "How the requests are told apart; without it, they are one flow.",
  ),
  rules: list(4, PolicyRulesWithSubjects).atomic().doc("Which requests match: any of these."),
})
  .validatedElsewhere()
  .defaults((spec) => {
    spec.matchingPrecedence ||= 1000;
  })
  .doc("Which requests make up a flow, and how important they are.");
export interface FlowSchemaSpec extends Infer<typeof FlowSchemaSpec> {}

export const FlowSchemaCondition = struct(`${prefix}.FlowSchemaCondition`, {
  type: named(1, "v1.FlowSchemaConditionType").doc("What the condition is about."),
  status: named(2, "v1.ConditionStatus").known("True", "False", "Unknown").doc("Whether it holds."),
  lastTransitionTime: time(3).always().doc("When the status last changed."),
  reason: string(4).doc("Why it last changed, for machines."),
  message: string(5).doc("Why it last changed, for people."),
}).doc("One aspect of the state of a flow schema.");
export interface FlowSchemaCondition extends Infer<typeof FlowSchemaCondition> {}

export const FlowSchemaStatus = struct(`${prefix}.FlowSchemaStatus`, {
  conditions: list(1, FlowSchemaCondition).keyedBy("type").doc("Aspects of its state."),
}).doc("What is known of a flow schema.");
export interface FlowSchemaStatus extends Infer<typeof FlowSchemaStatus> {}

const maxPrecedence = 10000;

/** The rules of a flow schema of this name. */
export function validateFlowSchemaSpec(spec: FlowSchemaSpec, at: At, name: string): void {
  const { matchingPrecedence: precedence, distinguisherMethod: method, rules = [] } = spec;
  if (precedence <= 0) at.invalid("matchingPrecedence", precedence, "must be a positive value");
  if (precedence > maxPrecedence)
    at.invalid("matchingPrecedence", precedence, `must not be greater than ${maxPrecedence}`);
  if (precedence === 1 && name !== "exempt")
    at.invalid(
      "matchingPrecedence",
      precedence,
      "only the schema named 'exempt' may have matchingPrecedence 1",
    );
  if (method && method.type !== "ByUser" && method.type !== "ByNamespace")
    at.notSupported("distinguisherMethod.type", internalForm(FlowDistinguisherMethod, method), [
      "ByNamespace",
      "ByUser",
    ]);
  const level = spec.priorityLevelConfiguration.name;
  if (level === "")
    at.required("priorityLevelConfiguration.name", "must reference a priority level");
  else at.invalidEach("priorityLevelConfiguration.name", level, nameIsDnsSubdomain(level));
  for (const [i, rule] of rules.entries())
    validatePolicyRulesWithSubjects(rule, at.child("rules").index(i));
}
