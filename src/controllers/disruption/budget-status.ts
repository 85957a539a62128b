import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady, timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import type {
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from "../../api/policy/v1/pod-disruption-budget-spec.ts";
import { findCondition, withCondition } from "../../controller-runtime/objects/conditions.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { scaledValue } from "../../schema/values/int-or-string.ts";

/** How long after its eviction was allowed a pod may exist before it counts again. */
const deletionTimeoutMs = 2 * 60_000;

/** How many pods a budget covers, and how many of them must be healthy. */
export interface BudgetTarget {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** Whether a budget depends on how many pods controllers want, not on how many exist. */
export const countsScale = ({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec): boolean =>
  maxUnavailable !== undefined || typeof minAvailable === "string";

/** The target of a budget; `count` is how many pods controllers want, or how many exist. */
export function budgetTarget(
  { minAvailable, maxUnavailable }: PodDisruptionBudgetSpec,
  count: number,
): BudgetTarget {
  if (maxUnavailable !== undefined) {
    const missing = scaledValue(maxUnavailable, count, "up");
    return { expectedPods: count, desiredHealthy: Math.max(0, count - missing) };
  }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  return { expectedPods: count, desiredHealthy: scaledValue(minAvailable, count, "up") };
}

export interface BudgetFacts extends BudgetTarget {
  readonly pods: readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface BudgetDecision {
  /** Undefined if the status is up to date. */
  readonly status: PodDisruptionBudgetStatus | undefined;
  /** Pods that should have been deleted, but still exist. */
  readonly overdue: readonly Pod[];
  /** After how many milliseconds the next pod would be overdue. */
  readonly recheckMs: number | undefined;
}

/** Computes the status of a budget. */
export function budgetStatus(budget: PodDisruptionBudget, facts: BudgetFacts): BudgetDecision {
  const { pods, expectedPods, desiredHealthy, now } = facts;
  const { status, metadata } = budget;
  const { disruptedPods, overdue, recheckMs } = disruptions(budget, pods, now);
  const currentHealthy = pods.filter(
    (pod) =>
      isPodReady(pod) &&
      !pod.metadata.deletionTimestamp &&
      !isExpectedToGo(disruptedPods[pod.metadata.name ?? ""], now),
  ).length;
  // Without pods no disruption is allowed: the first pods may not be in the cache yet.
  const spare = expectedPods > 0 ? currentHealthy - desiredHealthy : 0;
  const { conditions: _, disruptedPods: _d, ...before } = status;
  const numbers = {
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    disruptionsAllowed: Math.max(0, spare),
    currentHealthy,
    desiredHealthy,
    expectedPods,
  };
  const isUnchanged =
    sameJson(before, numbers) &&
    sameJson(status.disruptedPods ?? {}, disruptedPods) &&
    isConditionRight(status);
  const next = {
    ...numbers,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    conditions: withAllowed(status, numbers, now),
  };
  return { status: isUnchanged ? undefined : next, overdue, recheckMs };
}

/** The status of a budget whose computation failed: no disruption is allowed. */
export function failedStatus(
  { status }: PodDisruptionBudget,
  message: string,
  now: number,
): PodDisruptionBudgetStatus {
  const { observedGeneration } = status;
  const condition = {
    type: allowedType,
    status: "False" as const,
    reason: "SyncFailed",
    message,
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
  const conditions = withCondition(status.conditions, condition, { now: () => now });
  return { ...status, disruptionsAllowed: 0, conditions };
}

const allowedType = "DisruptionAllowed";

/** Which evicted pods are still expected to be deleted, which are overdue, and when to check again. */
function disruptions({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number) {
  const disruptedPods: Record<string, string> = {};
  const overdue: Pod[] = [];
  let recheckMs: number | undefined;
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata;
    const granted = status.disruptedPods?.[name];
    if (deletionTimestamp || granted === undefined) continue;
    const left = (timeOf(granted) ?? 0) + deletionTimeoutMs - now;
    if (left < 0) overdue.push(pod);
    else {
      disruptedPods[name] = granted;
      recheckMs = Math.min(recheckMs ?? left, left);
    }
  }
  return { disruptedPods, overdue, recheckMs };
}

const isExpectedToGo = (granted: string | undefined, now: number): boolean =>
  granted !== undefined && (timeOf(granted) ?? 0) + deletionTimeoutMs > now;

const reasonOf = (allowed: number) =>
  allowed > 0
    ? ({ status: "True", reason: "SufficientPods" } as const)
    : ({ status: "False", reason: "InsufficientPods" } as const);

function isConditionRight({ conditions, disruptionsAllowed }: PodDisruptionBudgetStatus): boolean {
  const condition = findCondition(conditions, allowedType);
  const { status, reason } = reasonOf(disruptionsAllowed);
  return condition?.status === status && condition.reason === reason;
}

function withAllowed(
  { conditions }: PodDisruptionBudgetStatus,
  { disruptionsAllowed, observedGeneration }: Omit<PodDisruptionBudgetStatus, "conditions">,
  now: number,
) {
  const condition = {
    type: allowedType,
    ...reasonOf(disruptionsAllowed),
    message: "",
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
  return withCondition(conditions, condition, { now: () => now });
}
