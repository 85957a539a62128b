import { listOf, message, named } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { int32Type } from "../../../../schema/language/type.ts";

export const ContainerResizePolicy = struct("io.k8s.api.core.v1.ContainerResizePolicy", {
  resourceName: named(1, "v1.ResourceName").always().expected().doc("The resource, cpu or memory."),
  restartPolicy: named(2, "v1.ResourceResizeRestartPolicy")
    .always()
    .expected()
    .known("NotRequired", "RestartContainer")
    .doc("Whether the container is restarted for it."),
}).doc("What happens when an amount of a running container's resource changes.");
export interface ContainerResizePolicy extends Infer<typeof ContainerResizePolicy> {}

export const ContainerRestartRuleOnExitCodes = struct(
  "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes",
  {
    operator: named(1, "v1.ContainerRestartRuleOnExitCodesOperator")
      .expected()
      .known("In", "NotIn")
      .doc("Whether the exit code must be one of the values, or none of them."),
    values: listOf(2, int32Type).set().doc("Exit codes."),
  },
).doc("The exit codes for which a rule holds.");
export interface ContainerRestartRuleOnExitCodes
  extends Infer<typeof ContainerRestartRuleOnExitCodes> {}

export const ContainerRestartRule = struct("io.k8s.api.core.v1.ContainerRestartRule", {
  action: named(1, "v1.ContainerRestartRuleAction")
    .expected()
    .known("Restart", "RestartAllContainers")
    .doc("What is done when the rule holds."),
  exitCodes: message(2, ContainerRestartRuleOnExitCodes).doc("The exit codes it holds for."),
}).doc("What is done when a container exits in a certain way.");
export interface ContainerRestartRule extends Infer<typeof ContainerRestartRule> {}

interface Restarts {
  readonly restartPolicy?: string | undefined;
  readonly restartPolicyRules?: readonly ContainerRestartRule[] | undefined;
}

const restartPolicies = ["Always", "Never", "OnFailure"];
const ruleActions = ["Restart", "RestartAllContainers"];
const ruleOperators = ["In", "NotIn"];
const policyForRules = "must specify restartPolicy when restart rules are used";

/** The rules of a container's own restart policy. */
export function validateContainerRestartPolicy(
  { restartPolicy, restartPolicyRules: rules = [] }: Restarts,
  at: At,
): void {
  if (restartPolicy === undefined) {
    if (rules.length === 0) return;
    at.required("restartPolicy", policyForRules);
  } else if (!restartPolicies.includes(restartPolicy))
    at.notSupported("restartPolicy", restartPolicy, restartPolicies);

  if (rules.length > 20) at.tooMany("restartPolicyRules", rules.length, 20);
  for (const [i, rule] of rules.entries())
    validateRestartRule(rule, at.child("restartPolicyRules").index(i));
}

/** The same for init containers: rules without a policy are not looked at. */
export function validateInitContainerRestartPolicy(container: Restarts, at: At): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined) validateContainerRestartPolicy(container, at);
  else if (rules.length > 0) at.required("restartPolicy", policyForRules);
}

function validateRestartRule({ action = "", exitCodes }: ContainerRestartRule, at: At): void {
  if (!ruleActions.includes(action)) at.notSupported("action", action, ruleActions);
  if (!exitCodes) {
    at.required("exitCodes", "must be specified");
    return;
  }
  const { operator = "", values = [] } = exitCodes;
  const here = at.child("exitCodes");
  if (!ruleOperators.includes(operator)) here.notSupported("operator", operator, ruleOperators);
  if (values.length > 255) here.tooMany("values", values.length, 255);
}

const resizableResources = ["cpu", "memory"];
const resizePolicies = ["NotRequired", "RestartContainer"];

/** The rules of what happens to a container when its resources change. */
export function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  at: At,
  podRestartPolicy: string | undefined,
): void {
  const seen = new Set<string>();
  for (const [i, { resourceName, restartPolicy }] of policies.entries()) {
    if (seen.has(resourceName)) at.index(i).duplicate("", resourceName);
    seen.add(resourceName);
    validateOneOf(resourceName, at, resizableResources);
    validateOneOf(restartPolicy, at, resizePolicies);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired")
      at.invalid("", restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
  }
}

function validateOneOf(value: string, at: At, values: readonly string[]): void {
  if (!value) at.required();
  else if (!values.includes(value)) at.notSupported("", value, values);
}

interface RestartingPod {
  readonly restartPolicy?: string | undefined;
  readonly containers: readonly Restarts[];
  readonly initContainers?: readonly Restarts[] | undefined;
}

/** Whether a container that ended with this exit code is started again. */
export function containerShouldRestart(
  container: Restarts,
  pod: Pick<RestartingPod, "restartPolicy">,
  exitCode: number,
): boolean {
  const { restartPolicy } = container;
  if (restartPolicy !== undefined) {
    const action = matchingRestartRule(container, exitCode)?.action ?? "";
    if (ruleActions.includes(action)) return true;
  }
  const known = restartPolicy !== undefined && restartPolicies.includes(restartPolicy);
  const policy = known ? restartPolicy : pod.restartPolicy;
  if (policy === "OnFailure") return exitCode !== 0;
  return policy !== "Never";
}

/** The first restart rule that holds for an exit code. */
function matchingRestartRule(
  { restartPolicyRules = [] }: Restarts,
  exitCode: number,
): ContainerRestartRule | undefined {
  return restartPolicyRules.find(({ exitCodes }) => {
    if (!exitCodes) return false;
    const { operator, values = [] } = exitCodes;
    if (operator === "In") return values.includes(exitCode);
    return operator === "NotIn" && !values.includes(exitCode);
  });
}

/** Whether the end of some container may restart them all. */
export function allContainersCouldRestart({
  containers,
  initContainers = [],
}: RestartingPod): boolean {
  return [...initContainers, ...containers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
}
