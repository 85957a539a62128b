import { labelSelector } from "../../../schema/selectors/label-selector.ts";
import type { Pod } from "../../core/v1/pod/pod.ts";
import { podCondition } from "../../core/v1/pod/pod-status.ts";
import { forbidden, StatusError } from "../../meta/v1/status-error.ts";
import type { PodDisruptionBudget } from "./pod-disruption-budget.ts";

/** What becomes of the wish to evict a pod. */
export type EvictionDecision =
  /** It is deleted; `asSeen` if it may not have changed since. */
  | { readonly type: "delete"; readonly asSeen: boolean }
  /** It is deleted once this budget is written. */
  | { readonly type: "spend"; readonly budget: PodDisruptionBudget };

/** More evictions than these are not granted before the controller has seen them. */
const maxDisruptedPods = 2000;

/** Whether a pod can be deleted whatever budgets say: it has ended, is ending, or has not begun. */
export const needsNoBudget = ({ metadata, status }: Pod): boolean =>
  status.phase === "Pending" || isEnding({ metadata, status });

/** Whether it is over with a pod, so that nothing that happens meanwhile matters. */
export const isEnding = ({ metadata, status }: Pick<Pod, "metadata" | "status">): boolean =>
  status.phase === "Succeeded" ||
  status.phase === "Failed" ||
  metadata.deletionTimestamp !== undefined;

/** The budgets of a pod's namespace that are for it. A selector that is not valid is for none. */
export function budgetsFor(pod: Pod, budgets: readonly PodDisruptionBudget[]) {
  return budgets.filter(({ spec }) => {
    try {
      return labelSelector(spec.selector).matches(pod.metadata.labels ?? {});
    } catch {
      return false;
    }
  });
}

/** Decides by the budgets that are for a pod; throws a StatusError where they do not allow it. */
export function decideEviction(
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  now: string,
): EvictionDecision {
  const [budget, ...more] = budgets;
  if (!budget) return { type: "delete", asSeen: false };
  if (more.length > 0)
    throw new StatusError(
      "",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      { code: 500 },
    );
  if (podCondition(pod.status, "Ready")?.status !== "True" && spares(budget))
    return { type: "delete", asSeen: true };
  return { type: "spend", budget: spent(budget, pod.metadata.name ?? "", now) };
}

/** Whether a pod that is not ready can go without being counted. */
function spares({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

/** The budget after one more disruption. */
function spent(budget: PodDisruptionBudget, pod: string, now: string): PodDisruptionBudget {
  const { metadata, status } = budget;
  const { name = "", generation = 0 } = metadata;
  if ((status.observedGeneration ?? 0) < generation) throw stillProcessed(name);
  const about = { group: "policy", resource: "poddisruptionbudget", name };
  if (status.disruptionsAllowed < 0) throw forbidden(about, "pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > maxDisruptedPods)
    throw forbidden(
      about,
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
    );
  if (status.disruptionsAllowed === 0) throw violated(whyNot(budget));
  const left = status.disruptionsAllowed - 1;
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: left,
      disruptedPods: { ...status.disruptedPods, [pod]: now },
      ...(left === 0 && { conditions: withNothingLeft(budget, now) }),
    },
  };
}

function whyNot({ metadata, status }: PodDisruptionBudget): string {
  const { name = "" } = metadata;
  const { currentHealthy, desiredHealthy, conditions = [] } = status;
  const refused = conditions.find(
    (condition) =>
      condition.type === "DisruptionAllowed" &&
      condition.status === "False" &&
      condition.message !== "",
  );
  if (refused?.reason === "SyncFailed")
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${refused.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  if (refused)
    return `The disruption budget ${name} does not allow evicting pods currently (${refused.reason}): ${refused.message}`;
  return `The disruption budget ${name} does not allow evicting pods currently`;
}

/** The controller has not yet seen what became of the budget: try again in a while. */
export const stillProcessed = (budget: string): StatusError =>
  violated(`The disruption budget ${budget} is still being processed by the server.`, 10);

const violated = (message: string, retryAfterSeconds = 0): StatusError =>
  new StatusError(
    "TooManyRequests",
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      details: {
        causes: [{ reason: "DisruptionBudget", message }],
        ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
      },
    },
  );

function withNothingLeft({ status }: PodDisruptionBudget, now: string) {
  const { conditions = [] } = status;
  const old = conditions.find(({ type }) => type === "DisruptionAllowed");
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    observedGeneration: status.observedGeneration,
    lastTransitionTime: old?.status === "False" ? old.lastTransitionTime : now,
    reason: "InsufficientPods",
    message: "",
  };
  return old
    ? conditions.map((other) => (other === old ? condition : other))
    : [...conditions, condition];
}
