import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../../api/batch/v1/job-policies.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** What a failure policy says of a failed pod. */
export interface PolicyMatch {
  /** The action of the first rule that applies; undefined if none does. */
  readonly action?: PodFailurePolicyRule["action"];
  /** Whether the failure counts towards the limits. */
  readonly isCounted: boolean;
  /** Why the job fails, if it does. */
  readonly message?: string;
}

/** Finds the first rule that applies to a failed pod. */
export function matchFailurePolicy(policy: PodFailurePolicy | undefined, pod: Pod): PolicyMatch {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const cause = causeIn(rule, pod);
    if (cause === undefined || !actions.has(rule.action)) continue;
    const { action } = rule;
    if (action !== "FailJob") return { action, isCounted: action !== "Ignore" };
    const message = `${cause} matching ${action} rule at index ${index}`;
    return { action, isCounted: true, message };
  }
  return { isCounted: true };
}

const actions: ReadonlySet<string> = new Set(["FailJob", "FailIndex", "Ignore", "Count"]);

/** What a rule applies to, in upstream's words; undefined if it does not apply. */
function causeIn({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, pod: Pod) {
  const { namespace, name } = pod.metadata;
  if (onExitCodes) {
    const failed = containerWith(onExitCodes, pod);
    const code = failed?.state?.terminated?.exitCode;
    return (
      failed &&
      `Container ${failed.name} for pod ${namespace}/${name} failed with exit code ${code}`
    );
  }
  const found = pod.status.conditions?.find(({ type, status }) =>
    onPodConditions.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return found && `Pod ${namespace}/${name} has condition ${found.type}`;
}

/** A container that has ended with one of the exit codes; containers come before init containers. */
function containerWith(
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
  { status }: Pod,
) {
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses].find(({ name, state }) => {
    const code = state?.terminated?.exitCode;
    if (!state?.terminated || !code) return false;
    if (containerName !== undefined && containerName !== name) return false;
    if (operator === "In") return values.includes(code);
    return operator === "NotIn" && !values.includes(code);
  });
}
